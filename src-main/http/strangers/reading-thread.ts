import { PorchlightError } from '../../contract/error.ts';
import { startJobThread, ThreadFailed, type JobThread } from '../../platform/job-thread.ts';
import { oneAtATime } from '../../storage/one-at-a-time.ts';
import type { JobAnswer, Jobs, ThreadData } from './thread-jobs.ts';

const defaults = { deadlineMs: 3000, idleMs: 10_000, inBackground: false };
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** A thread that parses strangers' pages, so that no page blocks the server. */
export interface ReadingThread<J extends Jobs> {
  /**
   * Runs a job in the thread, after all earlier jobs. `worked`: called before the next job starts, with the time that
   * the thread spent on this job, in ms.
   * @throws PorchlightError `page_too_slow` after the deadline, `page_too_large` if memory ran out, `page_unreadable`
   * if the job failed, `reading_unavailable` if the thread cannot start or was closed.
   */
  run<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    worked?: (ms: number) => void,
  ): Promise<ReturnType<J[K]>>;
  /** Whether a new job would start at once, that is, whether the thread is started and idle. */
  readonly isReady: boolean;
  close(): Promise<void>;
}

export interface ReadingThreadOptions {
  /** The path of the program that the thread runs. The program must call serveJobs. */
  readonly file: string;
  /**
   * The maximum time for one job, in ms. After that time, the thread is terminated, and the next job gets a new thread.
   */
  readonly deadlineMs?: number;
  /**
   * How long a job may take, in ms, while the computer is too busy to give this process half of `deadlineMs` of
   * processor time. The default is `deadlineMs`.
   */
  readonly starvedMs?: number;
  /** How long a thread without jobs is kept, in ms. */
  readonly idleMs?: number;
  /** True if the thread runs at low priority, so that the server's main thread gets processor time first. */
  readonly inBackground?: boolean;
}

/** Creates a reading thread. It starts with the first job, ends when idle, and does not keep the process alive. */
export function createReadingThread<J extends Jobs>(options: ReadingThreadOptions): ReadingThread<J> {
  const { file, deadlineMs, idleMs, inBackground, starvedMs = deadlineMs } = { ...defaults, ...options };
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
      () => undefined, // ignore the error here: the next job fails with the same error
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

  /** Ends the thread and starts another at once, so that the next page doesn't have to wait for a new thread. */
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
      answer = (await running.ask({ job, input }, deadlineMs, [], starvedMs)) as JobAnswer;
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
    case 'starved':
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
