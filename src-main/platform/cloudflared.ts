import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { bin as packageBinary } from 'cloudflared';
import { cloudflaredName } from './cloudflared-release.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What a tunnel is to do. */
export interface TunnelRequest {
  readonly mode: 'quick' | 'named';
  /** Loopback port of the public server. */
  readonly port: number;
  /** Named only: the tunnel's token. */
  readonly token?: string | undefined;
  /** Why there is no token, in words, where it is not that none was ever stored. */
  readonly tokenProblem?: string | undefined;
  /** Named only: the public host name, as the Cloudflare dashboard routes it here. */
  readonly hostname?: string | undefined;
}

/** How one run of cloudflared ended. */
export interface Exit {
  /** Set where it could not be started at all. */
  readonly error?: Error;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Waits; resolves early, never rejects, when the signal aborts. Milliseconds. */
export type Pause = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Milliseconds that cloudflared has to end by itself. */
const patience = 3_000;

/** Where cloudflared may be. */
export interface CloudflaredPlaces {
  /** The one that is asked for; then no other will do. */
  readonly asked?: string | undefined;
  /** Packages bring one along, in the folder `cloudflared` of these resources. */
  readonly resources?: string | undefined;
  /** The one that was downloaded. */
  readonly downloaded: string;
}

/**
 * The cloudflared program: the one that is asked for; else the one of the package, the one that was downloaded, that of
 * the npm package, or the first on the PATH. Undefined where there is none.
 */
export function findCloudflared(env: Env, places: CloudflaredPlaces): string | undefined {
  const { asked = env['PORCHLIGHT_CLOUDFLARED'] ?? '', resources, downloaded } = places;
  if (asked !== '') return isProgram(asked) ? asked : undefined;
  const name = cloudflaredName(process.platform);
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const bundled = resources === undefined ? [] : [join(resources, 'cloudflared', name)];
  const onPath = folders.map((folder) => join(folder, name));
  return [...bundled, downloaded, packageBinary, ...onPath].find(isProgram);
}

/**
 * `config`: an empty file of ours, so that the owner's own ~/.cloudflared/config.yml has no say. It writes no pid file:
 * whom we started we write down ourselves, at once and not only when it is connected.
 */
export function cloudflaredArguments({ mode, port }: TunnelRequest, config: string): string[] {
  const common = ['tunnel', '--config', config, '--no-autoupdate', '--grace-period', '2s'];
  // Any free port, on loopback; the log tells which.
  common.push('--metrics', '127.0.0.1:0');
  const target = ['--url', `http://127.0.0.1:${port}`];
  return mode === 'quick' ? [...common, ...target] : [...common, 'run', ...target];
}

/** The token goes through the environment: arguments can be read by everybody on the computer. */
export function cloudflaredEnvironment({ mode, token }: TunnelRequest, env: Env): Env {
  // Each flag of cloudflared is also a TUNNEL_ variable; what somebody exported once is not meant for this tunnel.
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('TUNNEL_'));
  return { ...Object.fromEntries(kept), ...(mode === 'named' ? { TUNNEL_TOKEN: token } : {}) };
}

/**
 * Runs cloudflared until it ends, or until `signal` aborts: SIGTERM, then SIGKILL after 3 s. It never outlives this
 * process. Spawned here and not by the package's Tunnel class, which takes no environment and reads chunks, not lines.
 */
export function runCloudflared(options: {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly pause: Pause;
  readonly onLine: (line: string) => void;
}): { pid: number | undefined; started: Promise<void>; ended: Promise<Exit> } {
  const { binary, args, env, signal, pause, onLine } = options;
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  const over = new AbortController();
  const kill = () => void child.kill('SIGKILL');
  const end = () => {
    child.kill('SIGTERM');
    void pause(patience, over.signal).then(() => over.signal.aborted || kill());
  };
  process.once('exit', kill);
  signal.addEventListener('abort', end, { once: true });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);

  const ended = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ error, code: null, signal: null }));
    child.once('close', (code, by) => resolve({ code, signal: by }));
  }).finally(() => {
    over.abort();
    process.off('exit', kill);
    signal.removeEventListener('abort', end);
  });
  const started = new Promise<void>((resolve) => {
    child.once('spawn', resolve);
    child.once('error', () => resolve());
  });
  return { pid: child.pid, started, ended };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
