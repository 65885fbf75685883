import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import {
  canRun,
  cloudflaredArguments,
  cloudflaredEnvironment,
  type Env,
  type Exit,
  type Pause,
  runCloudflared,
  type TunnelRequest,
} from './cloudflared.ts';
import type { CloudflaredRecord } from './cloudflared-leftover.ts';
import {
  createTunnelDeadlines,
  errorMessageIn,
  readSign,
  type TunnelMetrics,
  type TunnelState,
  type TunnelTrouble,
  type Why,
} from './tunnel-state.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { pauseAfter } from './retry-schedule.ts';

export interface RunOptions {
  readonly request: TunnelRequest;
  /** The folder for the tunnel's files. */
  readonly folder: string;
  /**
   * Returns the path of cloudflared. If the program is missing, calls `onDownload` and downloads it.
   * @throws PorchlightError `download_interrupted` if another attempt may help.
   */
  readonly program: (signal: AbortSignal, onDownload: () => void) => Promise<string>;
  readonly env: Env;
  readonly pause: Pause;
  /** The interval between checks of the metrics and the deadlines, in ms. */
  readonly checkMs: number;
  /** A monotonic clock, in ms. */
  readonly steady: Clock;
  /** Returns whether this server can be reached through the public address. Never rejects. */
  readonly reaches: (signal: AbortSignal) => Promise<boolean>;
  readonly log: Log;
  readonly state: TunnelState;
  readonly record: CloudflaredRecord;
  readonly metrics: TunnelMetrics;
}

export type TunnelRun = ReturnType<typeof startTunnelRun>;

/** The state of one cloudflared process. */
interface Once {
  readonly leave: () => void;
  port: number | null;
  /** True until cloudflared has connected or has reported why it cannot connect. */
  isFresh: boolean;
}

/** The result of one run of cloudflared. */
interface Outcome {
  readonly exit: Exit;
  readonly wasConnected: boolean;
  readonly trouble: TunnelTrouble | undefined;
  /** The last error that cloudflared printed. */
  readonly message: string | undefined;
  /** Whether Porchlight ended cloudflared because it would only repeat the `trouble`. */
  readonly isGivenUp: boolean;
  readonly wasLeft: boolean;
  /** Why cloudflared was stopped, if it hung; otherwise null. */
  readonly hang: Why | null;
}

/**
 * Starts cloudflared. Until `end` is called, restarts it each time it ends, after 1 s, 2 s, 4 s ... 60 s. Stops after a
 * failure that a restart can't fix.
 */
export function startTunnelRun(options: RunOptions) {
  const { request, pause, state, record, metrics } = options;
  const ending = new AbortController();
  const isOver = () => ending.signal.aborted;
  let pausing = new AbortController();
  let now: Once | null = null;
  let failures = 0;
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });

  async function keepUp(): Promise<void> {
    const config = join(options.folder, 'config.yml');
    await nodeOperations.makeFolder(options.folder);
    await noted(nodeOperations.write(config, '{}\n'));
    await record.endLeftover();
    while (!isOver()) {
      const why = await attempt(config);
      if (isOver() || why === 'failed') return;
      if (why === 'left') {
        state.anew();
        continue;
      }
      failures += 1;
      const milliseconds = pauseAfter('tunnel', failures) ?? 0;
      state.ended(why, milliseconds / 1_000);
      pausing = new AbortController();
      await pause(milliseconds, AbortSignal.any([ending.signal, pausing.signal]));
    }
  }

  function failed(why: Why): 'failed' {
    state.fail(why);
    return 'failed';
  }

  /**
   * Runs cloudflared until it ends. Returns the reason to restart it, 'failed' if another attempt can't help, or 'left'
   * if Porchlight ended cloudflared in order to restart it without a pause.
   */
  async function attempt(config: string): Promise<Why | 'failed' | 'left'> {
    let program: string;
    try {
      program = await options.program(ending.signal, begun);
    } catch (error) {
      if (isOver()) return 'failed';
      const code = error instanceof PorchlightError ? error.code : undefined;
      const reason = code === 'binary_missing' ? code : 'download_failed';
      const why: Why = { reason, words: messageOf(error) };
      return code === 'download_interrupted' ? why : failed(why);
    }
    if (isOver()) return 'failed';
    if (!canRun(program))
      return failed(notExecutable(program, 'It isn’t a program for this system and processor.'));
    state.running();
    const once = await runOnce(program, config);
    const { exit, wasConnected, trouble, message, isGivenUp, wasLeft, hang } = once;
    if (hang !== null) {
      if (wasConnected) failures = 0;
      return { ...hang, message };
    }
    if (wasLeft && !isGivenUp) return 'left';
    if (exit.error !== undefined) return failed(notExecutable(program, exit.error.message));
    if (trouble?.final === true && request.mode === 'named') return failed(trouble);
    if (wasConnected) failures = 0;
    // The next start of a quick tunnel gets a new address.
    if (trouble?.final === true) return { ...trouble, reason: 'crashed', words: quickEnded };
    return trouble ?? { reason: 'crashed', words: endOf(exit), message };
  }

  async function runOnce(program: string, config: string): Promise<Outcome> {
    const leaving = new AbortController();
    const over = AbortSignal.any([ending.signal, leaving.signal]);
    const once: Once = { leave: () => leaving.abort(), port: null, isFresh: true };
    let wasConnected = false;
    let trouble: TunnelTrouble | undefined;
    let message: string | undefined;
    let isGivenUp = false;
    let hang: Why | null = null;
    let isChecking = false;
    const deadlines = createTunnelDeadlines(options.steady);
    const isCurrent = () => now === once && !over.aborted;

    const readMetrics = async (port: number): Promise<void> => {
      const readiness = await metrics.ask(port);
      if (!isCurrent()) return;
      deadlines.metrics(readiness !== null);
      if (readiness !== null) state.count(readiness.connections);
    };
    const watch = async (): Promise<void> => {
      if (isChecking) return;
      isChecking = true;
      if (once.port !== null) await readMetrics(once.port);
      if (state.status().state === 'connected' && deadlines.isPublicAddressDue())
        deadlines.publicAddress(await options.reaches(over));
      isChecking = false;
      if (!isCurrent()) return;
      hang = deadlines.overdue();
      if (hang !== null) once.leave();
    };
    const watching = setInterval(() => void watch(), options.checkMs);
    const foundMetrics = async (port: number): Promise<void> => {
      once.port = port;
      const connector = (await metrics.ask(port))?.connector ?? null;
      if (connector !== null && now === once) await record.known({ port, connector });
    };

    const run = runCloudflared({
      binary: program,
      args: cloudflaredArguments(request, config),
      env: cloudflaredEnvironment(request, options.env),
      signal: over,
      pause,
      onLine: (text) => {
        const line = withoutToken(text, request.token);
        options.log.debug(`cloudflared: ${line}`);
        if (over.aborted) return;
        message = errorMessageIn(line, message);
        const sign = readSign(line);
        if (sign === undefined) return;
        if (sign.kind === 'metrics') {
          if (once.port !== null) return;
          void noted(foundMetrics(sign.port));
          return;
        }
        if (sign.kind === 'connected') wasConnected = true;
        if (sign.kind !== 'address') {
          once.isFresh = false;
          deadlines.spoke();
        }
        // cloudflared would ask again for ever, and Cloudflare would give the same answer. While a connection stands, the
        // tunnel still works.
        if (sign.kind === 'trouble' && sign.isRetried && !state.isUp()) {
          trouble = sign;
          isGivenUp = true;
          if (request.mode === 'named') state.fail(sign);
          once.leave();
          return;
        }
        // Keep the first reason, because the later reasons are its consequences.
        if (sign.kind === 'trouble') trouble ??= sign;
        else if (sign.kind === 'connected') trouble = undefined;
        state.take(sign);
      },
    });
    now = once;
    try {
      if (run.pid !== undefined) await noted(record.started(run.pid));
      await run.started;
      begun();
      const exit = await run.ended;
      return { exit, wasConnected, trouble, message, isGivenUp, wasLeft: leaving.signal.aborted, hang };
    } finally {
      now = null;
      clearInterval(watching);
      once.leave();
      await run.ended;
      await noted(record.forget());
    }
  }

  /**
   * Waits until one of the tunnel's files is written or deleted. Logs a failure instead of throwing, because a disk
   * that is not writable must not end a working tunnel. A missing record file matters only if Porchlight is killed: the
   * next start then can't find the cloudflared process that kept running.
   */
  async function noted(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => options.log.warn({ err: error }, 'tunnel: not written down'));
  }

  const kept = keepUp()
    .catch((error: unknown) =>
      state.fail({ reason: 'crashed', words: `Porchlight couldn’t start the tunnel: ${messageOf(error)}` }),
    )
    .finally(begun);

  return {
    /** Resolves once cloudflared is running, is being downloaded, or has failed. */
    started,

    /** Checks at once whether the tunnel works. If the tunnel doesn't work, restarts cloudflared without a pause. */
    async check(): Promise<void> {
      failures = 0;
      pausing.abort();
      const once = now;
      // Don't interrupt a process that is still connecting.
      if (once === null || once.isFresh) return;
      const readiness = once.port === null ? null : await metrics.ask(once.port);
      if (now !== once) return;
      if (readiness !== null) state.count(readiness.connections);
      // Restarting a quick tunnel changes its address. A quick tunnel that still responds may recover by itself.
      const isWell = readiness !== null && (readiness.connections > 0 || request.mode === 'quick');
      if (!isWell) once.leave();
    },

    /** Ends cloudflared. Resolves when the process has ended. */
    async end(): Promise<void> {
      ending.abort();
      await kept;
    },
  };
}

function notExecutable(program: string, why: string): Why {
  const words = `The program ${program} could not be started: ${why} Install cloudflared again, then start the tunnel again.`;
  return { reason: 'not_executable', words };
}

const quickEnded = 'Cloudflare has ended this trial tunnel.';

function endOf({ code, signal }: Exit): string {
  return `cloudflared ended unexpectedly (${signal ?? `exit code ${code ?? 'unknown'}`}).`;
}

function withoutToken(line: string, token = ''): string {
  return token === '' ? line : line.replaceAll(token, '[token]');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
