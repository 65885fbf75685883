import { join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../../storage/file-operations.ts';
import { canRun, cloudflaredArguments, cloudflaredEnvironment, type TunnelRequest } from './cloudflared.ts';
import type { CloudflaredRecord } from './leftover.ts';
import {
  createTunnelDeadlines,
  errorMessageIn,
  readSign,
  type TunnelMetrics,
  type TunnelState,
  type TunnelTrouble,
  type Why,
} from './state.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { pauseAfter } from '../../platform/retry-schedule.ts';
import { type Env, type Exit, type Pause, runProgram } from '../../platform/run-program.ts';

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
 * Runs cloudflared. Until `end` is called, restarts it each time it ends, after 1 s, 2 s, 4 s ... 60 s. Stops after a
 * failure that a restart can't fix.
 */
export class TunnelRun {
  readonly #options: RunOptions;
  readonly #ending = new AbortController();
  #pausing = new AbortController();
  #now: Once | null = null;
  #failures = 0;
  /** Resolves once cloudflared is running, is being downloaded, or has failed. */
  readonly started: Promise<void>;
  readonly #begun: () => void;
  readonly #kept: Promise<void>;

  constructor(options: RunOptions) {
    this.#options = options;
    let begun: () => void = () => undefined;
    this.started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    this.#begun = begun;
    this.#kept = this.#keepUp()
      .catch((error: unknown) =>
        this.#options.state.fail({
          reason: 'crashed',
          words: `Porchlight couldn’t start the tunnel: ${messageOf(error)}`,
        }),
      )
      .finally(() => this.#begun());
  }

  /** Checks at once whether the tunnel works. If the tunnel doesn't work, restarts cloudflared without a pause. */
  async check(): Promise<void> {
    this.#failures = 0;
    this.#pausing.abort();
    const once = this.#now;
    // Don't interrupt a process that is still connecting.
    if (once === null || once.isFresh) return;
    const readiness = once.port === null ? null : await this.#options.metrics.ask(once.port);
    if (this.#now !== once) return;
    if (readiness !== null) this.#options.state.count(readiness.connections);
    // Restarting a quick tunnel changes its address. A quick tunnel that still responds may recover by itself.
    const isWell =
      readiness !== null && (readiness.connections > 0 || this.#options.request.mode === 'quick');
    if (!isWell) once.leave();
  }

  /** Ends cloudflared. Resolves when the process has ended. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#kept;
  }

  #isOver() {
    return this.#ending.signal.aborted;
  }

  async #keepUp(): Promise<void> {
    const config = join(this.#options.folder, 'config.yml');
    await nodeOperations.makeFolder(this.#options.folder);
    await this.#noted(nodeOperations.write(config, '{}\n'));
    await this.#options.record.endLeftover();
    while (!this.#isOver()) {
      const why = await this.#attempt(config);
      if (this.#isOver() || why === 'failed') return;
      if (why === 'left') {
        this.#options.state.anew();
        continue;
      }
      this.#failures += 1;
      const milliseconds = pauseAfter('tunnel', this.#failures) ?? 0;
      this.#options.state.ended(why, milliseconds / 1_000);
      this.#pausing = new AbortController();
      await this.#options.pause(milliseconds, AbortSignal.any([this.#ending.signal, this.#pausing.signal]));
    }
  }

  #failed(why: Why): 'failed' {
    this.#options.state.fail(why);
    return 'failed';
  }

  /**
   * Runs cloudflared until it ends. Returns the reason to restart it, 'failed' if another attempt can't help, or 'left'
   * if Porchlight ended cloudflared in order to restart it without a pause.
   */
  async #attempt(config: string): Promise<Why | 'failed' | 'left'> {
    let program: string;
    try {
      program = await this.#options.program(this.#ending.signal, () => this.#begun());
    } catch (error) {
      if (this.#isOver()) return 'failed';
      const code = error instanceof PorchlightError ? error.code : undefined;
      const reason = code === 'binary_missing' ? code : 'download_failed';
      const why: Why = { reason, words: messageOf(error) };
      return code === 'download_interrupted' ? why : this.#failed(why);
    }
    if (this.#isOver()) return 'failed';
    if (!canRun(program))
      return this.#failed(notExecutable(program, 'It isn’t a program for this system and processor.'));
    this.#options.state.running();
    const once = await this.#runOnce(program, config);
    const { exit, wasConnected, trouble, message, isGivenUp, wasLeft, hang } = once;
    if (hang !== null) {
      if (wasConnected) this.#failures = 0;
      return { ...hang, message };
    }
    if (wasLeft && !isGivenUp) return 'left';
    if (exit.error !== undefined) return this.#failed(notExecutable(program, exit.error.message));
    if (trouble?.final === true && this.#options.request.mode === 'named') return this.#failed(trouble);
    if (wasConnected) this.#failures = 0;
    // The next start of a quick tunnel gets a new address.
    if (trouble?.final === true) return { ...trouble, reason: 'crashed', words: quickEnded };
    return trouble ?? { reason: 'crashed', words: endOf(exit), message };
  }

  async #runOnce(program: string, config: string): Promise<Outcome> {
    const leaving = new AbortController();
    const over = AbortSignal.any([this.#ending.signal, leaving.signal]);
    const once: Once = { leave: () => leaving.abort(), port: null, isFresh: true };
    let wasConnected = false;
    let trouble: TunnelTrouble | undefined;
    let message: string | undefined;
    let isGivenUp = false;
    let hang: Why | null = null;
    let isChecking = false;
    const deadlines = createTunnelDeadlines(this.#options.steady);
    const isCurrent = () => this.#now === once && !over.aborted;

    const readMetrics = async (port: number): Promise<void> => {
      const readiness = await this.#options.metrics.ask(port);
      if (!isCurrent()) return;
      deadlines.metrics(readiness !== null);
      if (readiness !== null) this.#options.state.count(readiness.connections);
    };
    const watch = async (): Promise<void> => {
      if (isChecking) return;
      isChecking = true;
      if (once.port !== null) await readMetrics(once.port);
      if (this.#options.state.status().state === 'connected' && deadlines.isPublicAddressDue())
        deadlines.publicAddress(await this.#options.reaches(over));
      isChecking = false;
      if (!isCurrent()) return;
      hang = deadlines.overdue();
      if (hang !== null) once.leave();
    };
    const watching = setInterval(() => void watch(), this.#options.checkMs);
    const foundMetrics = async (port: number): Promise<void> => {
      once.port = port;
      const connector = (await this.#options.metrics.ask(port))?.connector ?? null;
      if (connector !== null && this.#now === once) await this.#options.record.known({ port, connector });
    };

    const run = runProgram({
      binary: program,
      args: cloudflaredArguments(this.#options.request, config),
      env: cloudflaredEnvironment(this.#options.request, this.#options.env),
      signal: over,
      pause: this.#options.pause,
      onLine: (text) => {
        const line = withoutToken(text, this.#options.request.token);
        this.#options.log.debug(`cloudflared: ${line}`);
        if (over.aborted) return;
        message = errorMessageIn(line, message);
        const sign = readSign(line);
        if (sign === undefined) return;
        if (sign.kind === 'metrics') {
          if (once.port !== null) return;
          void this.#noted(foundMetrics(sign.port));
          return;
        }
        if (sign.kind === 'connected') wasConnected = true;
        if (sign.kind !== 'address') {
          once.isFresh = false;
          deadlines.spoke();
        }
        // cloudflared would ask again for ever, and Cloudflare would give the same answer. While a connection stands, the
        // tunnel still works.
        if (sign.kind === 'trouble' && sign.isRetried && !this.#options.state.isUp()) {
          trouble = sign;
          isGivenUp = true;
          if (this.#options.request.mode === 'named') this.#options.state.fail(sign);
          once.leave();
          return;
        }
        // Keep the first reason, because the later reasons are its consequences.
        if (sign.kind === 'trouble') trouble ??= sign;
        else if (sign.kind === 'connected') trouble = undefined;
        this.#options.state.take(sign);
      },
    });
    this.#now = once;
    try {
      if (run.pid !== undefined) await this.#noted(this.#options.record.started(run.pid));
      await run.started;
      this.#begun();
      const exit = await run.ended;
      return { exit, wasConnected, trouble, message, isGivenUp, wasLeft: leaving.signal.aborted, hang };
    } finally {
      this.#now = null;
      clearInterval(watching);
      once.leave();
      await run.ended;
      await this.#noted(this.#options.record.forget());
    }
  }

  /**
   * Waits until one of the tunnel's files is written or deleted. Logs a failure instead of throwing, because a disk
   * that is not writable must not end a working tunnel. A missing record file matters only if Porchlight is killed: the
   * next start then can't find the cloudflared process that kept running.
   */
  async #noted(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => this.#options.log.warn({ err: error }, 'tunnel: not written down'));
  }
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
