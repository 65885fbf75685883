import { createFairTurns, TurnRefused } from './fair-turns.ts';
import { busyFactor, startJobThread, ThreadFailed, type JobThread } from './job-thread.ts';
import type { Log } from './log.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

const idleMs = 10_000;

/**
 * A request to decode one picture. `party`: the visitor or site that waits for its turn. `deadlineMs`: the time limit,
 * in ms.
 */
export interface PictureTurn {
  readonly party: string;
  readonly deadlineMs: number;
  /** Called when it is the turn of `party`. Returns whether to decode the picture; if not, the result is null. */
  readonly mayBegin?: () => boolean;
  /** Called after decoding. `ms`: how long the thread worked. `wasFatal`: whether the picture crashed the thread. */
  readonly worked?: (ms: number, wasFatal: boolean) => void;
}

/**
 * The result for a picture that can't be decoded for a temporary reason: too many pictures are waiting, a budget is used
 * up, the computer is too busy, or the thread failed to start or is being closed.
 */
export const notNow = 'not now' as const;

// The worker's file is next to this file: a .ts file in the sources, a .js file in the build (see vite.main.config.ts).
const file = `./picture-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/**
 * Starts the worker in a thread. The memory limit covers only the worker's JavaScript, which needs little memory.
 * WebAssembly has separate memory, up to 2 GB.
 */
const startThread = () =>
  startJobThread(new URL(file, import.meta.url), {
    name: 'pictures',
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });

/**
 * Creates a lane: a queue for a thread that decodes one picture at a time. Visitors and sites take turns. The thread
 * starts with the first picture and ends after 10 s without a picture. A thread that exceeds the deadline or crashes is
 * replaced at once. The time for starting a thread doesn't count toward a picture's deadline.
 */
export function createPictureLane(options: {
  readonly log: Log;
  readonly mostWaiting: number;
  readonly mostWaitingPerParty: number;
}) {
  const { log, ...limits } = options;
  const turns = createFairTurns({ concurrency: 1, ...limits });
  let thread: JobThread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  const requests = new Set<Promise<unknown>>();
  /**
   * Returns `closed`. If code read the variable directly, the type checker would assume that it stays the same during
   * an await.
   */
  const isClosed = (): boolean => closed;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.end();
  }

  async function decodeNow(job: PictureJob, turn: PictureTurn): Promise<PictureAnswer | typeof notNow> {
    const { deadlineMs, mayBegin = () => true, worked } = turn;
    if (isClosed() || !mayBegin()) return notNow;
    clearTimeout(idle);
    if (thread?.isOver() !== false) thread = startThread();
    const current = thread;
    let begun: number | undefined;
    const tell = (wasFatal: boolean): void => {
      if (begun !== undefined) worked?.(performance.now() - begun, wasFatal);
    };
    try {
      await current.ready();
      begun = performance.now();
      const transfer = 'bytes' in job ? [job.bytes.buffer] : [];
      const answer = (await current.ask(job, deadlineMs, transfer, busyFactor * deadlineMs)) as PictureAnswer;
      tell(false);
      return answer;
    } catch (error) {
      if (!(error instanceof ThreadFailed)) throw error;
      if (isClosed()) return notNow;
      log.warn({ err: error, kind: job.kind }, 'A picture could not be decoded.');
      tell(error.why !== 'starved');
      void current.end();
      // Start the new thread now, before the next picture needs it. But if the failed thread never started, wait for
      // the next picture before trying again.
      thread = begun === undefined ? undefined : startThread();
      return begun === undefined || error.why === 'starved' ? notNow : null;
    } finally {
      if (!isClosed()) idle = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return {
    /**
     * Decodes a picture once it is the turn of `turn.party`, a visitor or site. Resolves with null if the picture can't
     * be decoded or the deadline passes, and with `notNow` if a later attempt may succeed.
     */
    async decode(job: PictureJob, turn: PictureTurn): Promise<PictureAnswer | typeof notNow> {
      const request = turns.run(turn.party, () => decodeNow(job, turn));
      requests.add(request);
      try {
        return await request;
      } catch (error) {
        if (!(error instanceof TurnRefused)) throw error;
        return notNow;
      } finally {
        requests.delete(request);
      }
    },
    /** Resolves when no picture waits or is being decoded. */
    async idle(): Promise<void> {
      while (requests.size > 0) await Promise.allSettled(requests);
    },
    /** Resolves all waiting and later requests with `notNow`, and ends the thread. */
    async close(): Promise<void> {
      closed = true;
      turns.drop();
      await end();
    },
  };
}
