import perfHooks from 'node:perf_hooks';
import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { errorCode } from '../storage/storage-error.ts';

const startLimitMs = 30_000;
/**
 * How many times as long as its deadline a job may usually take while the computer is too busy to give the threads
 * half of that time (see `ask`). For jobs whose failure is remembered or shown to the owner.
 */
export const busyFactor = 6;

/**
 * Why a thread returned no result: it missed its deadline, ran out of memory, ended (failed to start, crashed or was
 * stopped), or was starved (the computer was too busy to run it).
 */
export type ThreadEnd = 'late' | 'out-of-memory' | 'ended' | 'starved';

/** Thrown for a job whose thread returned no result. */
export class ThreadFailed extends Error {
  readonly why: ThreadEnd;

  constructor(why: ThreadEnd, cause?: unknown) {
    super(`The thread gave no answer: ${why}.`, { cause });
    this.why = why;
  }
}

export type JobThread = ReturnType<typeof startJobThread>;

/**
 * Starts a thread that processes content from strangers, one job at a time, each with a deadline. The thread's first
 * message means that the thread is ready. After that, the thread responds to each message with one message. The thread
 * gets no environment variables, and keeps the process alive only while a job is running.
 */
export function startJobThread(file: URL | string, options: WorkerOptions) {
  const worker = new Worker(file, { ...options, env: {}, execArgv: [] });
  let over: ThreadFailed | undefined;
  let fail: (reason: ThreadFailed) => void = () => undefined;
  let settle: (message: unknown) => void = () => undefined;
  const finish = (reason: ThreadFailed): void => {
    over ??= reason;
    fail(over);
  };
  worker.on('message', (message: unknown) => settle(message));
  worker.on('error', (error) => finish(new ThreadFailed(reasonOf(error), error)));
  worker.on('exit', () => finish(new ThreadFailed('ended')));
  // Call unref() after the listeners are added, because adding the first listener refs the worker again.
  worker.unref();

  // While a caller waits for a result, the timer in `next` keeps the process alive. The thread itself doesn't.
  const next = (limitMs: number, late: ThreadEnd, starvedMs = limitMs): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      const usedByOthers = othersProcessorTime();
      const check = (): void => {
        const isStarved = usedByOthers() < limitMs / 2;
        const canWait = performance.now() - begun < starvedMs;
        if (starvedMs > limitMs && isStarved && canWait) timer = setTimeout(check, limitMs / 4);
        else finish(new ThreadFailed(starvedMs > limitMs && isStarved ? 'starved' : late));
      };
      let timer = setTimeout(check, limitMs);
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
  const started = next(startLimitMs, 'ended');
  started.catch(() => undefined); // Prevents an unhandled rejection. Callers of `ready` still get the error.
  return {
    /**
     * Resolves when the thread is ready for jobs.
     * @throws ThreadFailed if the start takes more than 30 s, or if the thread ends.
     */
    ready: () => started,
    /**
     * Runs one job and returns its result. Don't call it while another job is running. `starvedMs`: how long the job
     * may take while all threads but the calling one get less than half of `deadlineMs` of processor time. A job that
     * such a busy computer delays even longer counts as starved, not as late.
     * @throws ThreadFailed if the job misses its deadline or the thread ends.
     */
    ask(
      job: unknown,
      deadlineMs: number,
      transfer: readonly Transferable[] = [],
      starvedMs = deadlineMs,
    ): Promise<unknown> {
      const answer = next(deadlineMs, 'late', starvedMs);
      worker.postMessage(job, transfer);
      return answer;
    },
    /** Returns whether the thread has failed. A failed thread accepts no more jobs. */
    isOver: () => over !== undefined,
    end: () => worker.terminate(),
  };
}

/**
 * Starts a measurement. The returned function returns the processor time, in ms, that all other threads of this process
 * have used since then. The time of the calling thread is its active time, which is too long if the thread itself waits
 * for a processor. So on a busy computer, the result may be too small.
 */
function othersProcessorTime(): () => number {
  const before = process.cpuUsage();
  const loop = perfHooks.performance.eventLoopUtilization();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 - perfHooks.performance.eventLoopUtilization(loop).active;
  };
}

function reasonOf(error: unknown): ThreadEnd {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out-of-memory' : 'ended';
}
