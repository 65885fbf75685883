import type { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';
import type { PictureAnswer, PictureJob, PictureJobs, PictureSize } from './picture-job.ts';
import { startPictureThread } from './picture-thread.ts';

/**
 * Decodes pictures of strangers (PNG, JPEG, GIF, WebP, AVIF, SVG; told by their content) where they can do no harm.
 * Never throws for what a picture is: null where it is none, is damaged, has more than 100 million pixels or 200 MB,
 * takes more than 10 s, or where too many wait already.
 */
export interface Pictures {
  /** Pixels of a picture file; null where it can not be read. */
  measure(file: string): Promise<PictureSize | null>;
  /** A small still WebP that fits into a square of `edge` pixels, without metadata, never enlarged. */
  thumbnail(file: string, options: { edge: number }): Promise<Uint8Array | null>;
  /** A small still PNG that fits into a square of `edge` pixels, as a data URL of at most 40 KiB. Never enlarged. */
  shrink(bytes: Uint8Array, options: { edge: number }): Promise<{ dataUrl: string } | null>;
  /** Answers null to all that waits, and to all that is asked later. */
  close(): Promise<void>;
}

interface Task {
  readonly job: PictureJob;
  readonly settle: (answer: PictureAnswer) => void;
}

const maxWaiting = 200;
const deadlineMs = 10_000;
/** For the first picture of a thread, which waits for it to start: long enough for a busy computer. */
const firstDeadlineMs = 30_000;
const idleMs = 30_000;

/**
 * Pictures are decoded by WebAssembly in a thread of its own, one at a time. The thread starts with the first picture,
 * ends when there was none for 30 s, and is replaced when a picture keeps it busy for too long or breaks it. It does
 * not keep the process alive while it waits.
 */
export function createPictures({ log }: { log: Log }): Pictures {
  const waiting: Task[] = [];
  let thread: Worker | undefined;
  let current: Task | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** Settles the picture in hand, and takes the next one. */
  const next = (answer: PictureAnswer): void => {
    clearTimeout(timer);
    current?.settle(answer);
    current = waiting.shift();
    if (current) give(current.job);
    else rest();
  };
  const give = (job: PictureJob): void => {
    const limit = thread ? deadlineMs : firstDeadlineMs;
    thread ??= open();
    thread.ref();
    timer = setTimeout(giveUp, limit, 'A picture took too long.');
    thread.postMessage(job, job.kind === 'shrink' ? [job.bytes.buffer] : []);
  };
  const rest = (): void => {
    thread?.unref();
    timer = setTimeout(() => void end(), idleMs).unref();
  };
  const end = (): Promise<unknown> => {
    const ending = thread?.terminate() ?? Promise.resolve();
    thread = undefined;
    return ending;
  };
  const giveUp = (reason: string, error?: unknown): void => {
    log.warn({ err: error, kind: current?.job.kind }, reason);
    void end();
    next(null);
  };
  const open = (): Worker => {
    const worker = startPictureThread();
    const failed = (reason: string) => (error: unknown) => {
      // A thread that was replaced has nothing more to say.
      if (thread === worker) giveUp(reason, error);
    };
    worker.on('message', (answer: PictureAnswer) => {
      if (thread === worker) next(answer);
    });
    worker.on('error', failed('The thread that decodes pictures failed.'));
    worker.on('exit', failed('The thread that decodes pictures ended.'));
    return worker;
  };
  const ask = <K extends keyof PictureJobs>(
    job: PictureJob & { kind: K },
  ): Promise<PictureJobs[K]['answer'] | null> =>
    new Promise((resolve) => {
      if (closed || waiting.length >= maxWaiting) {
        resolve(null);
        return;
      }
      waiting.push({ job, settle: resolve });
      if (!current) next(null);
    });

  return {
    measure: (file) => ask({ kind: 'measure', file }),
    thumbnail: (file, { edge }) => ask({ kind: 'thumbnail', file, edge }),
    // A copy, because it is handed over: what the caller holds stays theirs.
    shrink: (bytes, { edge }) => ask({ kind: 'shrink', bytes: Uint8Array.from(bytes), edge }),
    async close() {
      closed = true;
      const dropped = waiting.splice(0);
      const ending = end();
      if (current) next(null);
      clearTimeout(timer);
      for (const { settle } of dropped) settle(null);
      await ending;
    },
  };
}
