import { createFairTurns, TurnRefused } from './fair-turns.ts';
import { ThreadFailed, type JobThread } from './job-thread.ts';
import type { Log } from './log.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';
import { startPictureThread } from './picture-thread.ts';

const idleMs = 10_000;

/** Whose turn a picture waits for. */
export interface PictureTurn {
  readonly party: string;
  /** How long the thread may work on it. */
  readonly deadlineMs: number;
  /** Asked when the turn has come: whether the party may still have it. */
  readonly mayBegin?: () => boolean;
  /** Told how long the thread worked, in ms, and whether it did not survive the picture. */
  readonly worked?: (ms: number, wasFatal: boolean) => void;
  /** Told where the answer is null for a reason that will pass: no turn for the party, or no thread. */
  readonly refused?: (() => void) | undefined;
}

/** A thread that decodes one picture at a time, its parties in turn. */
export interface PictureLane {
  /** Decodes a picture when it is its party's turn; null past the deadline, and where too many wait. */
  decode(job: PictureJob, turn: PictureTurn): Promise<PictureAnswer>;
  /** Answers null to all that waits, and to all that is asked later. */
  close(): Promise<void>;
}

/**
 * Creates a lane. Its thread starts with the first picture and ends when there was none for 10 s. A thread that a
 * picture keeps too long, or breaks, is replaced at once, and starting up is no part of a picture's deadline.
 */
export function createPictureLane(options: {
  readonly log: Log;
  readonly mostWaiting: number;
  readonly mostWaitingPerParty: number;
}): PictureLane {
  const { log, ...limits } = options;
  const turns = createFairTurns({ concurrency: 1, ...limits });
  let thread: JobThread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  /** Asked anew after each pause: a lane may be closed meanwhile. */
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
    if (thread?.isOver() !== false) thread = startPictureThread();
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
      // The next picture finds a thread that is ready, or soon. One that did not start is not tried on its own.
      thread = begun === undefined ? undefined : startPictureThread();
      return null;
    } finally {
      if (!isClosed()) idle = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return {
    async decode(job, turn) {
      try {
        return await turns.run(turn.party, () => decodeNow(job, turn));
      } catch (error) {
        if (!(error instanceof TurnRefused)) throw error;
        turn.refused?.();
        return null;
      }
    },
    async close() {
      closed = true;
      turns.drop();
      await end();
    },
  };
}
