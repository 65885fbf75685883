import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TunnelStatus } from '../../src-main/contract/reach.ts';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { createTunnel, type Tunnel, type TunnelOptions } from '../../src-main/address/tunnel/tunnel.ts';

/** The stand-in for cloudflared. */
export const fakeCloudflared = join(import.meta.dirname, 'fake-cloudflared.mjs');

/** A named tunnel, as the owner would have it. */
export const namedTunnel = {
  mode: 'named',
  port: 4180,
  token: 'very-secret',
  hostname: 'porch.example.com',
} as const;

/** One start of the stand-in. */
interface Start {
  readonly pid: number;
  readonly args: string[];
}

/** A folder for tunnels, and what happens in it. */
export interface TunnelScene {
  readonly folder: string;
  /** What the stand-in is told by its environment, to act like that. */
  env(acts: string): Record<string, string>;
  /** What the stand-in's metrics count from now on. */
  ready(connections: number): void;
  starts(): Start[];
  /** A tunnel in the scene's folder; pauses pass at once. */
  open(acts: string, options?: Partial<TunnelOptions>): OpenTunnel;
  close(): Promise<void>;
}

export interface OpenTunnel {
  readonly tunnel: Tunnel;
  readonly heard: TunnelStatus[];
  /** The first status of that kind, from the beginning or still to come. */
  readonly upTo: (matches: (status: TunnelStatus) => boolean) => Promise<TunnelStatus>;
}

export async function tunnelScene(): Promise<TunnelScene> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-tunnel-test-'));
  const record = join(folder, 'starts');
  const readyFile = join(folder, 'ready');
  writeFileSync(readyFile, '1');
  const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'Test' });
  const opened: Tunnel[] = [];
  const env = (acts: string) => ({
    PATH: process.env['PATH'] ?? '',
    FAKE_CLOUDFLARED: acts,
    FAKE_CLOUDFLARED_RECORD: record,
    FAKE_CLOUDFLARED_READY: readyFile,
  });
  return {
    folder,
    env,
    ready: (connections) => writeFileSync(readyFile, String(connections)),
    starts: () =>
      existsSync(record)
        ? readFileSync(record, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Start)
        : [],
    open(acts, options = {}) {
      const heard: TunnelStatus[] = [];
      const waiting = new Set<() => void>();
      const tunnel = createTunnel({
        log: silentLog,
        folder: join(folder, 'tunnel'),
        fetch,
        env: env(acts),
        pause: () => new Promise((resolve) => setImmediate(resolve)),
        onChange(status) {
          heard.push(status);
          for (const check of waiting) check();
        },
        ...('release' in options ? {} : { binary: fakeCloudflared }),
        ...options,
      });
      opened.push(tunnel);
      const upTo = (matches: (status: TunnelStatus) => boolean) =>
        new Promise<TunnelStatus>((resolve) => {
          const check = () => {
            const found = heard.find(matches);
            if (found !== undefined) resolve(found);
          };
          waiting.add(check);
          check();
        });
      return { tunnel, heard, upTo };
    },
    async close() {
      for (const tunnel of opened) await tunnel.stop();
      await fetch.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
