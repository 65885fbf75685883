import { createCauseBudget, turnOf, type Cause } from './cause.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { PictureJob, PictureJobs, PictureSize } from './picture-job.ts';
import { createPictureLane, type PictureTurn } from './picture-lane.ts';

/**
 * Decodes pictures (PNG, JPEG, GIF, WebP, AVIF, SVG; told by their content) where they can do no harm. Never throws for
 * what a picture is: null where it is none, is damaged, has more than 100 million pixels or 200 MB, takes too long
 * (10 s), or where too many wait already. A picture `from` a stranger may take 4 s (3 s as a logo) and 192 MB as
 * pixels, a drawing must be plain (isPlainDrawing), and it is null where its visitor or host is over its budget. The
 * owner's own pictures are those without `from`: they have a thread of their own, and wait for nobody else's.
 */
export interface Pictures {
  /** Pixels of a picture file; null where it can not be read. */
  measure(file: string, options?: { from?: Cause | undefined }): Promise<PictureSize | null>;
  /**
   * A small still WebP that fits into a square of `edge` pixels, without metadata, never enlarged. `notNow` is called
   * where it is null for a reason that will pass: a budget is spent, too many wait.
   */
  thumbnail(
    file: string,
    options: { edge: number; from?: Cause | undefined; notNow?: (() => void) | undefined },
  ): Promise<Uint8Array | null>;
  /** Like `thumbnail`, for a picture that is in memory and not in a file. */
  portrait(
    bytes: Uint8Array,
    options: { edge: number; from?: Cause | undefined },
  ): Promise<Uint8Array | null>;
  /** A small still PNG that fits into a square of `edge` pixels, as a data URL of at most 40 KiB. Never enlarged. */
  shrink(bytes: Uint8Array, options: { edge: number; from: Cause }): Promise<{ dataUrl: string } | null>;
  /** Answers null to all that waits, and to all that is asked later. */
  close(): Promise<void>;
}

const ownDeadlineMs = 10_000;
const strangersDeadlineMs = 4000;
const logoDeadlineMs = 3000;
/** The ms of decoding that are charged for a thread that did not survive a picture: whoever sent it waits minutes. */
const deathCost = 20_000;

/** Pictures are decoded by WebAssembly in two threads, the owner's and the strangers', each one at a time. */
export function createPictures({
  log,
  clock = systemClock,
  overBudget,
}: {
  readonly log: Log;
  readonly clock?: Clock;
  /** Told of each picture that was refused because a budget is spent. It must not throw. */
  readonly overBudget?: () => void;
}): Pictures {
  const own = createPictureLane({ log, mostWaiting: 200, mostWaitingPerParty: 200 });
  const strangers = createPictureLane({ log, mostWaiting: 200, mostWaitingPerParty: 20 });
  /** In ms of decoding. */
  const budget = createCauseBudget({
    visitor: { burst: 5000, perMinute: 5000 },
    host: { burst: 15_000, perMinute: 10_000 },
    clock,
  });

  const forStranger = (from: Cause, deadlineMs: number): Omit<PictureTurn, 'refused'> => ({
    party: turnOf(from),
    deadlineMs,
    mayBegin() {
      if (budget.waitMs(from) === 0) return true;
      overBudget?.();
      return false;
    },
    worked: (ms, wasFatal) => budget.charge(from, ms + (wasFatal ? deathCost : 0)),
  });

  function ask<K extends keyof PictureJobs>(
    job: PictureJob & { kind: K },
    from: Cause | undefined,
    refused?: () => void,
  ): Promise<PictureJobs[K]['answer'] | null> {
    const deadlineMs = job.kind === 'shrink' ? logoDeadlineMs : strangersDeadlineMs;
    const answer = from
      ? strangers.decode(job, { ...forStranger(from, deadlineMs), refused })
      : own.decode(job, { party: 'the owner', deadlineMs: ownDeadlineMs, refused });
    return answer;
  }

  return {
    measure: (file, { from } = {}) => ask({ kind: 'measure', trusted: !from, file }, from),
    thumbnail: (file, { edge, from, notNow }) =>
      ask({ kind: 'thumbnail', trusted: !from, file, edge }, from, notNow),
    // Copies, because the bytes are handed over to the thread: the caller keeps its own.
    portrait: (bytes, { edge, from }) =>
      ask({ kind: 'portrait', trusted: !from, bytes: Uint8Array.from(bytes), edge }, from),
    shrink: (bytes, { edge, from }) =>
      ask({ kind: 'shrink', trusted: false, bytes: Uint8Array.from(bytes), edge }, from),
    async close() {
      await Promise.all([own.close(), strangers.close()]);
    },
  };
}
