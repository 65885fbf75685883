import { createFairTurns, TurnRefused } from './fair-turns.ts';
import { startJobThread, ThreadFailed, type JobThread } from './job-thread.ts';
import type { Log } from './log.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

const idleMs = 10_000;

/** Which party a picture is decoded for, and under which conditions. */
export interface PictureTurn {
  readonly party: string;
  /** How long the thread may work on the picture, in ms. */
  readonly deadlineMs: number;
  /** Called when the party's turn has come. Returns whether the picture may still be decoded. */
  readonly mayBegin?: () => boolean;
  /** Called with how long the thread worked, in ms, and whether the picture killed it. */
  readonly worked?: (ms: number, wasFatal: boolean) => void;
  /** Called if the result is null for a temporary reason: the party got no turn, or there is no thread. */
  readonly refused?: (() => void) | undefined;
}

// The worker is beside this file and has the same extension, in the sources and in the build (vite.main.config.ts).
const file = `./picture-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/** Starts the worker in a thread. Its JavaScript needs little memory; WebAssembly has its own, up to 2 GB. */
const startThread = () =>
  startJobThread(new URL(file, import.meta.url), {
    name: 'pictures',
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });

/**
 * Creates a lane, which decodes one picture at a time. Parties take turns. The lane's thread starts with the first picture and ends after 10 s without one. A thread that
 * exceeds the deadline or crashes is replaced at once. Starting a thread does not count toward a picture's deadline.
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
  /** A function, because the lane may be closed during each await. */
  const isClosed = (): boolean => closed;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.end();
  }

  async function decodeNow(job: PictureJob, turn: PictureTurn): Promise<PictureAnswer> {
    const { deadlineMs, mayBegin = () => true, worked, refused } = turn;
    if (isClosed() || !mayBegin()) {
      refused?.();
      return null;
    }
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
      const answer = (await current.ask(job, deadlineMs, transfer)) as PictureAnswer;
      tell(false);
      return answer;
    } catch (error) {
      if (!(error instanceof ThreadFailed)) throw error;
      if (isClosed() || begun === undefined) refused?.();
      if (isClosed()) return null;
      log.warn({ err: error, kind: job.kind }, 'A picture could not be decoded.');
      tell(true);
      void current.end();
      // Start the replacement now, before the next picture needs it. If the thread failed to start, wait for the next
      // picture before trying again.
      thread = begun === undefined ? undefined : startThread();
      return null;
    } finally {
      if (!isClosed()) idle = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return {
    /**
     * Decodes a picture when its party's turn comes. Resolves with null past the deadline, and if too many pictures
     * wait.
     */
    async decode(job: PictureJob, turn: PictureTurn): Promise<PictureAnswer> {
      try {
        return await turns.run(turn.party, () => decodeNow(job, turn));
      } catch (error) {
        if (!(error instanceof TurnRefused)) throw error;
        turn.refused?.();
        return null;
      }
    },
    /** Resolves all waiting and later requests with null, and ends the thread. */
    async close(): Promise<void> {
      closed = true;
      turns.drop();
      await end();
    },
  };
}
