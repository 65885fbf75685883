import { PorchlightError } from '../../contract/error.ts';
import { startJobThread, ThreadFailed, type JobThread } from '../../platform/job-thread.ts';
import { oneAtATime } from '../../platform/one-at-a-time.ts';
import type { JobAnswer, Jobs, ThreadData } from './thread-jobs.ts';

const defaults = { deadlineMs: 3000, idleMs: 10_000, inBackground: false };
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** A thread on which strangers' pages are taken apart, so that none of them ever holds up the server. */
export interface ReadingThread<J extends Jobs> {
  /**
   * Has a job of the thread's program done, after those asked for before.
   * @throws PorchlightError `page_too_slow` past the deadline, `page_too_large` where memory ran out, `page_unreadable`
   * where the job failed, `reading_unavailable` where there is no thread (it cannot start, or was closed).
   * `worked`: told how long the thread worked on it, in ms, before the next job begins.
   */
  run<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    worked?: (ms: number) => void,
  ): Promise<ReturnType<J[K]>>;
  /** Whether a job would begin at once: a thread runs and has nothing to do. */
  readonly isReady: boolean;
  close(): Promise<void>;
}

export interface ReadingThreadOptions {
  /** The program, which calls serveJobs. */
  readonly file: string;
  /** How long one job may take; the thread is ended past it, and the next job gets a new one. */
  readonly deadlineMs?: number;
  /** How long a thread without work is kept. */
  readonly idleMs?: number;
  /** Nobody waits for the answers: the thread leaves the processor to others. */
  readonly inBackground?: boolean;
}

/** Creates a reading thread. It starts with the first job, ends when idle, and keeps no process alive. */
export function createReadingThread<J extends Jobs>(options: ReadingThreadOptions): ReadingThread<J> {
  const { file, deadlineMs, idleMs, inBackground } = { ...defaults, ...options };
  const inTurn = oneAtATime();
  let thread: JobThread | undefined;
  let isReady = false;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): JobThread {
    const workerData: ThreadData = { inBackground };
    const started = startJobThread(file, { name: 'pages', resourceLimits, workerData });
    thread = started;
    started.ready().then(
      () => (isReady = thread === started),
      () => undefined, // whoever asks it next is told
    );
    return started;
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    isReady = false;
    await ended?.end();
  }

  function endWhenIdle(): void {
    idle = setTimeout(() => void end(), idleMs).unref();
  }

  /** Ends the thread and starts another, so that the next page need not wait for it. */
  async function replace(): Promise<void> {
    await end();
    if (closed) return;
    start();
    endWhenIdle();
  }

  async function runNow(job: string, input: unknown, worked: (ms: number) => void): Promise<unknown> {
    if (closed) throw unavailable();
    clearTimeout(idle);
    const running = thread?.isOver() === false ? thread : start();
    let answer: JobAnswer;
    let begun: number | undefined;
    try {
      await running.ready();
      isReady = false;
      begun = performance.now();
      answer = (await running.ask({ job, input }, deadlineMs)) as JobAnswer;
    } catch (error) {
      if (begun === undefined) await end();
      else await replace();
      throw reasonOf(error);
    } finally {
      if (begun !== undefined) worked(performance.now() - begun);
    }
    isReady = true;
    endWhenIdle();
    if ('failure' in answer) {
      throw new PorchlightError('page_unreadable', 'Porchlight cannot read this page.', 400, {
        cause: answer.failure,
      });
    }
    return answer.result;
  }

  return {
    run: <K extends keyof J & string>(
      job: K,
      input: Parameters<J[K]>[0],
      worked: (ms: number) => void = () => undefined,
    ) => inTurn(() => runNow(job, input, worked)) as Promise<ReturnType<J[K]>>,
    get isReady() {
      return isReady;
    },
    async close() {
      closed = true;
      await end();
    },
  };
}

function reasonOf(error: unknown): unknown {
  if (!(error instanceof ThreadFailed)) return error;
  switch (error.why) {
    case 'late':
      return new PorchlightError('page_too_slow', 'This page takes too long to read.');
    case 'out-of-memory':
      return new PorchlightError('page_too_large', 'This page is too large to read.');
    case 'ended':
      return unavailable(error);
  }
}

function unavailable(cause?: unknown): PorchlightError {
  return new PorchlightError(
    'reading_unavailable',
    'Porchlight cannot read pages at the moment. Try again later.',
    503,
    { cause },
  );
}
