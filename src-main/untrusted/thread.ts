import { extname, join } from 'node:path';
import perfHooks from 'node:perf_hooks';
import { type Transferable, Worker } from 'node:worker_threads';
import { PorchlightError } from '../contract/error.ts';
import { errorCode } from '../storage/storage-error.ts';
import type { Kind } from './kinds.ts';
import type { JobAnswer, JobCall, ThreadData, ThreadMessage } from './serve-jobs.ts';

/** How long a thread may take to start, in ms. */
const startLimitMs = 60_000;
/** How many times as long as its deadline a job may take while the computer is too busy to give its thread that time. */
const mostSlowdown = 20;

// The program is an entry point, which is one folder up in the source, and in the same folder in the bundle.
const programFile = (name: string) => {
  const extension = extname(import.meta.filename);
  return join(import.meta.dirname, extension === '.ts' ? '..' : '', name + extension);
};
const ownProgram = programFile('untrusted-worker');

/**
 * Why a job has no result. `failed`: it threw an error, and its thread can run other jobs. Otherwise, the thread is over:
 * it used up its processor time, ran out of memory, crashed, failed to start, or was starved (the computer was too busy
 * to run it).
 */
export type JobEnd = 'failed' | 'late' | 'out-of-memory' | 'crashed' | 'not-started' | 'starved';

/** Thrown for a job that has no result. */
export class JobFailed extends Error {
  readonly why: JobEnd;

  constructor(why: JobEnd, cause?: unknown) {
    super(`The job has no result: ${why}.`, { cause });
    this.why = why;
  }
}

interface ThreadOptions {
  readonly kind: Pick<Kind, 'program' | 'memoryMb'>;
  /** True if the thread runs at low priority, so that the server's main thread gets processor time first. */
  readonly inBackground?: boolean;
  /** The path of the program. Only tests run another one. */
  readonly file?: string | undefined;
}

export interface JobOptions {
  /** The processor time that the job may take, in ms. */
  readonly deadlineMs: number;
  /** The memory to move to the thread instead of copying it. */
  readonly transfer?: readonly Transferable[] | undefined;
  /** Called when the job has ended, with the processor time that it took in ms. */
  readonly worked?: (ms: number) => void;
}

export type Thread = ReturnType<typeof startThread>;

/**
 * Starts a thread that processes content from strangers, one job at a time, each with a deadline. The thread gets no
 * environment variables, and keeps the process alive only while a job is running.
 */
export function startThread({ kind, inBackground = false, file = ownProgram }: ThreadOptions) {
  const { program, memoryMb } = kind;
  const worker = new Worker(file, {
    name: program,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    workerData: { program, inBackground } satisfies ThreadData,
  });
  let isReady = false;
  let over: JobFailed | undefined;
  let fail: (reason: JobFailed) => void = () => undefined;
  let receive: (message: ThreadMessage) => void = () => undefined;
  /** The processor time that the thread had used when it told last. */
  let told: ThreadMessage['used'];
  const finish = (reason: JobFailed): void => {
    over ??= reason;
    fail(over);
  };
  const ended = () => (isReady ? 'crashed' : 'not-started');
  worker.on('message', (message: ThreadMessage) => receive(message));
  worker.on('error', (error) => finish(new JobFailed(reasonOf(error) ?? ended(), error)));
  worker.on('exit', () => finish(new JobFailed(ended())));
  // Call unref() after the listeners are added, because adding the first listener refs the worker again.
  worker.unref();

  const started = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => finish(new JobFailed('not-started')), startLimitMs);
    receive = ({ used }) => {
      clearTimeout(timer);
      told = used;
      isReady = true;
      resolve();
    };
    fail = (reason) => {
      clearTimeout(timer);
      reject(reason);
    };
  });
  started.catch(() => undefined); // Prevents an unhandled rejection. Callers of `ready` still get the error.

  /** Waits for the answer to a job. The timer keeps the process alive meanwhile. The thread itself doesn't. */
  const answer = (deadlineMs: number, worked: (ms: number) => void): Promise<JobAnswer> =>
    new Promise((resolve, reject) => {
      let begun = performance.now();
      let time = measureThread(worker, told);
      let timer: NodeJS.Timeout;
      let usedMs: number | undefined;
      const checkIn = (ms: number): void => {
        timer = setTimeout(() => void check(), ms);
      };
      const check = async (): Promise<void> => {
        const measured = time;
        const ms = await measured.used();
        if (time !== measured || fail !== end) return;
        usedMs = ms;
        const leftMs = mostSlowdown * deadlineMs - (performance.now() - begun);
        if (ms >= deadlineMs) finish(new JobFailed('late'));
        else if (leftMs <= 0) finish(new JobFailed('starved'));
        else checkIn(Math.min(leftMs, Math.max(deadlineMs - ms, deadlineMs / 10)));
      };
      const stop = (ms: number): void => {
        clearTimeout(timer);
        time.stop();
        worked(ms);
      };
      const end = (reason: JobFailed): void => {
        fail = () => undefined;
        stop(usedMs ?? performance.now() - begun);
        reject(reason);
      };
      fail = end;
      receive = ({ answer: given, used }) => {
        told = used;
        if (given === undefined) {
          clearTimeout(timer);
          time.stop();
          [begun, time, usedMs] = [performance.now(), measureThread(worker, told), undefined];
          checkIn(deadlineMs);
          return;
        }
        if (fail !== end) return;
        fail = () => undefined;
        stop(time.until(used));
        resolve(given);
      };
      checkIn(deadlineMs);
      if (over) fail(over);
    });

  return {
    /**
     * Resolves when the thread is ready for jobs.
     * @throws JobFailed if the start takes more than 60 s, or if the thread ends.
     */
    ready: () => started,
    /** Returns whether a new job would start at once, if no other job is running. */
    isReady: () => isReady && over === undefined,
    /**
     * Runs one job and returns its result. Call it when the thread is ready and no other job is running.
     * @throws JobFailed if the job fails, misses its deadline or ends its thread; PorchlightError if the job throws one
     */
    async run(job: string, input: unknown, options: JobOptions): Promise<unknown> {
      const { deadlineMs, transfer, worked = () => undefined } = options;
      const answering = answer(deadlineMs, worked);
      worker.postMessage({ job, input } satisfies JobCall, transfer);
      const given = await answering;
      if ('result' in given) return given.result;
      if ('failure' in given) throw new JobFailed('failed', given.failure);
      const { code, message, status } = given.refusal;
      throw new PorchlightError(code, message, status);
    },
    /** Returns whether the thread has failed. A failed thread accepts no more jobs. */
    isOver: () => over !== undefined,
    end: () => worker.terminate(),
  };
}

const reasonOf = (error: unknown): JobEnd | undefined =>
  errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out-of-memory' : undefined;

/** Measures the processor time of a thread, in ms. It counts neither other threads nor other programs. */
interface ProcessorTime {
  /** Resolves with the time so far. */
  used(): Promise<number>;
  /** Returns the time until a message of the thread. `told`: what the message tells. */
  until(told: ThreadMessage['used']): number;
  /** Ends the measurement. Must be called once. */
  stop(): void;
}

/** Starts to measure how much processor time a thread uses. `told`: what it has told before. */
const measureThread = (thread: Worker, told: ThreadMessage['used']): ProcessorTime =>
  told !== undefined && 'cpuUsage' in thread ? exactTime(thread, told) : estimatedTime();

function exactTime(thread: Worker, before: NodeJS.CpuUsage): ProcessorTime {
  const begun = performance.now();
  return {
    // A thread that has ended is noticed elsewhere.
    used: () => thread.cpuUsage(before).then(milliseconds, () => performance.now() - begun),
    until: (told = before) => milliseconds(told) - milliseconds(before),
    stop: () => undefined,
  };
}

/** How long measured threads have worked in total, in ms of real time: two threads count twice. */
const work = { ms: 0, threads: 0, at: 0 };

function workUntilNow(): number {
  const now = performance.now();
  work.ms += work.threads * (now - work.at);
  work.at = now;
  return work.ms;
}

/**
 * Node before 24.6 doesn't tell the time of a thread. There, the real time is divided by the slowness of this process: how
 * long all measured threads worked, in relation to the processor time that the process used outside the calling thread.
 */
function estimatedTime(): ProcessorTime {
  const begun = performance.now();
  const workBefore = workUntilNow();
  const cpu = process.cpuUsage();
  const loop = perfHooks.performance.eventLoopUtilization();
  work.threads += 1;
  function until(): number {
    const elapsed = performance.now() - begun;
    // A main thread that waits for a processor counts as active too, so the result is rather too small.
    const here = perfHooks.performance.eventLoopUtilization(loop).active;
    const share = (milliseconds(process.cpuUsage(cpu)) - here) / (workUntilNow() - workBefore);
    return elapsed * Math.min(1, Math.max(0, share));
  }
  return {
    used: () => Promise.resolve(until()),
    until,
    stop() {
      workUntilNow();
      work.threads -= 1;
    },
  };
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
