import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TunnelStatus } from '../contract/tunnel.ts';
import {
  cloudflaredArguments,
  cloudflaredEnvironment,
  findCloudflared,
  runCloudflared,
} from './cloudflared.ts';
import type { Env, Exit, Pause, TunnelRequest } from './cloudflared.ts';
import { readSign } from './cloudflared-signs.ts';
import type { Trouble } from './cloudflared-signs.ts';
import type { Log } from './log.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createTunnelState } from './tunnel-state.ts';
import type { TunnelState } from './tunnel-state.ts';

/** The way from the internet to the public server. */
export interface Tunnel {
  status(): TunnelStatus;
  /**
   * Ends what runs and starts anew. Resolves once cloudflared runs, or has failed to; never rejects: how it goes
   * from there is in the status.
   */
  start(request: TunnelRequest): Promise<void>;
  /** Resolves when cloudflared is gone. */
  stop(): Promise<void>;
}

export interface TunnelOptions {
  readonly log: Log;
  /** Path of cloudflared; otherwise PORCHLIGHT_CLOUDFLARED, the package's download, or the PATH. */
  readonly binary?: string;
  readonly onChange: (status: TunnelStatus) => void;
  readonly env?: Env;
  readonly pause?: Pause;
}

const noProgram =
  'The program cloudflared is not on this computer. Install it, or set PORCHLIGHT_CLOUDFLARED to its path, then start the tunnel again.';
const noToken = 'A named tunnel needs its token. Copy it from the Cloudflare dashboard into the settings.';

/** A Cloudflare tunnel that is kept up: when cloudflared ends, it is started again after 1 s, 2 s, 4 s ... 60 s. */
export function createTunnel(options: TunnelOptions): Tunnel {
  const { log, binary, onChange, env = process.env, pause = wait } = options;
  const state = createTunnelState((status) => {
    log.info({ mode: status.mode, state: status.state }, `tunnel: ${status.words}`);
    onChange(status);
  });
  let stopRunning = () => Promise.resolve();
  // Two starts at once would leave a cloudflared that nobody ends.
  const inTurn = oneAtATime();

  async function start(request: TunnelRequest): Promise<void> {
    await stopRunning();
    stopRunning = () => Promise.resolve();
    state.begin(request);
    if (request.mode === 'named' && (request.token ?? '') === '') {
      state.fail(noToken);
      return;
    }
    const program = findCloudflared(env, binary);
    if (program === undefined) {
      state.fail(noProgram);
      return;
    }
    const ending = new AbortController();
    const { signal } = ending;
    await new Promise<void>((onStart) => {
      const kept = keepUp({ request, program, env, pause, log, state, signal, onStart })
        .catch((error: unknown) => state.fail(`The tunnel could not be started: ${messageOf(error)}`))
        .finally(onStart);
      stopRunning = () => {
        ending.abort();
        return kept;
      };
    });
  }

  return {
    status: () => state.status(),
    start: (request) => inTurn(() => start(request)),
    stop: () =>
      inTurn(async () => {
        await stopRunning();
        stopRunning = () => Promise.resolve();
        state.off();
      }),
  };
}

interface Run {
  readonly request: TunnelRequest;
  readonly program: string;
  readonly env: Env;
  readonly pause: Pause;
  readonly log: Log;
  readonly state: TunnelState;
  readonly signal: AbortSignal;
  readonly onStart: () => void;
}

async function keepUp(run: Run): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-tunnel-'));
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', cleanUp);
  try {
    const config = join(folder, 'config.yml');
    await writeFile(config, '{}\n');
    let pauses = 0;
    const isOver = () => run.signal.aborted;
    for (;;) {
      const { exit, wasConnected, trouble } = await runOnce(run, config);
      if (isOver()) return;
      if (exit.error !== undefined) {
        run.state.fail(`cloudflared could not be started: ${exit.error.message}`);
        return;
      }
      if (trouble?.final === true) {
        run.state.fail(trouble.words);
        return;
      }
      pauses = wasConnected ? 0 : pauses;
      const milliseconds = Math.min(1_000 * 2 ** pauses, 60_000);
      pauses += 1;
      run.state.ended(trouble?.words ?? endOf(exit), milliseconds / 1_000);
      await run.pause(milliseconds, run.signal);
      if (isOver()) return;
    }
  } finally {
    process.off('exit', cleanUp);
    cleanUp();
  }
}

async function runOnce(
  { request, program, env, pause, log, state, signal, onStart }: Run,
  config: string,
): Promise<{ exit: Exit; wasConnected: boolean; trouble: Trouble | undefined }> {
  let wasConnected = false;
  let trouble: Trouble | undefined;
  const { started, ended } = runCloudflared({
    binary: program,
    args: cloudflaredArguments(request, config),
    env: cloudflaredEnvironment(request, env),
    signal,
    pause,
    onLine: (line) => {
      log.debug(`cloudflared: ${withoutToken(line, request.token)}`);
      if (signal.aborted) return;
      const sign = readSign(line);
      if (sign === undefined) return;
      if (sign.kind === 'connected') wasConnected = true;
      // The first reason is the best one: what follows are its consequences.
      if (sign.kind === 'trouble') trouble ??= sign;
      else if (sign.kind === 'connected') trouble = undefined;
      state.take(sign);
    },
  });
  await started;
  onStart();
  return { exit: await ended, wasConnected, trouble };
}

function endOf({ code, signal }: Exit): string {
  return `cloudflared ended unexpectedly (${signal ?? `exit code ${code ?? 'unknown'}`}).`;
}

function withoutToken(line: string, token = ''): string {
  return token === '' ? line : line.replaceAll(token, '[token]');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
