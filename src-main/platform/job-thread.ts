import perfHooks from 'node:perf_hooks';
import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { errorCode } from '../storage/storage-error.ts';

const startLimitMs = 30_000;
/**
 * How many times as long as its deadline a job may usually take while the computer is too busy to give the thread
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
      const used = starvedMs > limitMs ? processorTimeOf(worker) : undefined;
      let isSettled = false;
      const check = async (): Promise<void> => {
        const isStarved = used !== undefined && (await used()) < limitMs / 2;
        if (isSettled) return;
        if (isStarved && performance.now() - begun < starvedMs) timer = later(limitMs / 4);
        else finish(new ThreadFailed(isStarved ? 'starved' : late));
      };
      const later = (ms: number) => setTimeout(() => void check(), ms);
      let timer = later(limitMs);
      const stop = (): void => {
        isSettled = true;
        clearTimeout(timer);
      };
      fail = (reason) => {
        stop();
        reject(reason);
      };
      settle = (message) => {
        stop();
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
     * may take while the thread gets less than half of `deadlineMs` of processor time. A job that such a busy computer
     * delays even longer counts as starved, not as late.
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
 * Starts a measurement. The returned function resolves with the processor time that a thread has used since then, in ms.
 *
 * Node before 24.6 doesn't tell the time of a thread. There, the result is the time of the whole process without the
 * active time of the calling thread. It includes other threads. And it is too small on a busy computer, because a thread
 * that waits for a processor also counts as active.
 */
function processorTimeOf(thread: Worker): () => Promise<number> {
  if (!('cpuUsage' in thread)) return othersProcessorTime();
  const before = thread.cpuUsage();
  before.catch(() => undefined); // Prevents an unhandled rejection. A thread that has ended is noticed elsewhere.
  return async () => {
    const used = await before.then((then) => thread.cpuUsage(then)).catch(() => undefined);
    return used === undefined ? Infinity : milliseconds(used);
  };
}

function othersProcessorTime(): () => Promise<number> {
  const before = process.cpuUsage();
  const loop = perfHooks.performance.eventLoopUtilization();
  return () =>
    Promise.resolve(
      milliseconds(process.cpuUsage(before)) - perfHooks.performance.eventLoopUtilization(loop).active,
    );
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

function reasonOf(error: unknown): ThreadEnd {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out-of-memory' : 'ended';
}
