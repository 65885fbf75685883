import { Worker } from 'node:worker_threads';
import { PorchlightError } from '../../contract/error.ts';
import { oneAtATime } from '../../platform/one-at-a-time.ts';
import type { JobAnswer, JobCall, Jobs } from './thread-jobs.ts';

const startLimitMs = 20_000;
const defaults = { deadlineMs: 3000, idleMs: 30_000 };
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** A thread on which strangers' pages are taken apart, so that none of them ever holds up the server. */
export interface ReadingThread<J extends Jobs> {
  /**
   * Has a job of the thread's program done, after those asked for before.
   * @throws PorchlightError `page_too_slow` past the deadline, `page_too_large` where memory ran out, `page_unreadable`
   * where the job failed, `reading_unavailable` where there is no thread (it can not start, or was closed).
   */
  run<K extends keyof J & string>(job: K, input: Parameters<J[K]>[0]): Promise<ReturnType<J[K]>>;
  close(): Promise<void>;
}

export interface ReadingThreadOptions {
  /** The program, which calls serveJobs. */
  readonly file: string;
  /** How long one job may take; the thread is ended past it, and the next job gets a new one. */
  readonly deadlineMs?: number;
  /** How long a thread without work is kept. */
  readonly idleMs?: number;
}

/** Makes a reading thread. It starts with the first job, ends when idle, and keeps no process alive. */
export function createReadingThread<J extends Jobs>(options: ReadingThreadOptions): ReadingThread<J> {
  const { file, deadlineMs, idleMs } = { ...defaults, ...options };
  const inTurn = oneAtATime();
  let program: Program | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = program;
    program = undefined;
    await ended?.end();
  }

  async function runNow(job: string, input: unknown): Promise<unknown> {
    if (closed) throw unavailable();
    clearTimeout(idle);
    if (program?.isOver() !== false) program = startProgram(file);
    let answer: JobAnswer;
    try {
      await program.ready();
      answer = await program.ask({ job, input }, deadlineMs);
    } catch (error) {
      await end();
      throw error;
    }
    idle = setTimeout(() => void end(), idleMs).unref();
    if ('failure' in answer) {
      throw new PorchlightError('page_unreadable', 'This page can not be read.', 400, {
        cause: answer.failure,
      });
    }
    return answer.result;
  }

  return {
    run: <K extends keyof J & string>(job: K, input: Parameters<J[K]>[0]) =>
      inTurn(() => runNow(job, input)) as Promise<ReturnType<J[K]>>,
    async close() {
      closed = true;
      await end();
    },
  };
}

interface Program {
  ready(): Promise<unknown>;
  ask(call: JobCall, deadlineMs: number): Promise<JobAnswer>;
  isOver(): boolean;
  end(): Promise<unknown>;
}

function startProgram(file: string): Program {
  const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits });
  let over: Error | undefined;
  let fail: (reason: Error) => void = () => undefined;
  let settle: (message: unknown) => void = () => undefined;
  const finish = (reason: Error): void => {
    over ??= reason;
    fail(over);
  };
  worker.on('message', (message: unknown) => settle(message));
  worker.on('error', (error) => finish(deathOf(error)));
  worker.on('exit', () => finish(unavailable()));
  worker.unref(); // after the listeners: a first one takes the process hostage again

  // The timer keeps the process alive while somebody waits for an answer; the worker itself does not.
  const next = (limitMs: number, late: () => Error): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(late()), limitMs);
      fail = (reason) => {
        clearTimeout(timer);
        reject(reason);
      };
      settle = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
      if (over) fail(over);
    });
  const started = next(startLimitMs, unavailable);
  started.catch(() => undefined); // whoever waits for `ready` is told
  return {
    ready: () => started,
    ask: (call, deadlineMs) => {
      const answer = next(deadlineMs, tooSlow);
      worker.postMessage(call);
      return answer as Promise<JobAnswer>;
    },
    isOver: () => over !== undefined,
    end: () => worker.terminate(),
  };
}

function deathOf(error: unknown): PorchlightError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return unavailable(error);
  return new PorchlightError('page_too_large', 'This page is too large to read.');
}

function tooSlow(): PorchlightError {
  return new PorchlightError('page_too_slow', 'This page takes too long to read.');
}

function unavailable(cause?: unknown): PorchlightError {
  return new PorchlightError('reading_unavailable', 'Pages can not be read at the moment.', 503, { cause });
}
