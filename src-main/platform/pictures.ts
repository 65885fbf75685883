import { createCauseBudget, turnOf, type Cause } from './cause.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { PictureJob, PictureJobs } from './picture-job.ts';
import { createPictureLane, type PictureTurn } from './picture-lane.ts';

/**
 * Decodes pictures (PNG, JPEG, GIF, WebP, AVIF, SVG; recognized by content) where they can do no harm. Never throws
 * because of a picture. Resolves with null if the file isn't a picture, is damaged, has more than 100 million pixels or
 * 200 MB, takes too long (10 s), or if too many pictures are waiting. A picture `from` a stranger has stricter limits:
 * 4 s (3 s as a logo) and 192 MB as pixels. It must be plain if it is a drawing (isPlainDrawing), and its visitor and
 * host must be within their budgets. Pictures without `from` are the owner's own. They have their own thread and never
 * wait for those of strangers.
 */
export type Pictures = ReturnType<typeof createPictures>;

export interface Fitting {
  /** The picture has to fit into a square with sides of this many pixels. It is never enlarged. */
  readonly edge: number;
  readonly from?: Cause | undefined;
}

const ownDeadlineMs = 10_000;
const strangersDeadlineMs = 4000;
const logoDeadlineMs = 3000;
/** Extra ms of decoding time to charge for a picture that killed its thread: its sender must then wait for minutes. */
const deathCost = 20_000;

/**
 * Creates the decoder. WebAssembly decodes pictures in two threads, one for the owner's pictures and one for
 * strangers'. Each thread decodes one picture at a time.
 */
export function createPictures({
  log,
  clock = systemClock,
  overBudget,
}: {
  readonly log: Log;
  readonly clock?: Clock;
  /** Called for each picture that is refused because a budget is used up. It must not throw. */
  readonly overBudget?: () => void;
}) {
  const own = createPictureLane({ log, mostWaiting: 200, mostWaitingPerParty: 200 });
  const strangers = createPictureLane({ log, mostWaiting: 200, mostWaitingPerParty: 20 });
  /** In ms of decoding time. */
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
    return from
      ? strangers.decode(job, { ...forStranger(from, deadlineMs), refused })
      : own.decode(job, { party: 'the owner', deadlineMs: ownDeadlineMs, refused });
  }

  return {
    /** Returns the size of a picture file in pixels; null if it cannot be read. */
    measure: (file: string, { from }: { from?: Cause | undefined } = {}) =>
      ask({ kind: 'measure', trusted: !from, file }, from),
    /**
     * Makes a small still WebP without metadata. Calls `notNow` if the result is null for a temporary reason: a budget
     * is used up, or too many pictures are waiting.
     */
    thumbnail: (file: string, { edge, from, notNow }: Fitting & { notNow?: (() => void) | undefined }) =>
      ask({ kind: 'thumbnail', trusted: !from, file, edge }, from, notNow),
    // Copies the bytes, because they are transferred to the thread, and the caller still needs its own.
    /** Like `thumbnail`, for a picture in memory instead of a file. */
    portrait: (bytes: Uint8Array, { edge, from }: Fitting) =>
      ask({ kind: 'portrait', trusted: !from, bytes: Uint8Array.from(bytes), edge }, from),
    /** Makes a still PNG of the owner's picture, cut to a square with sides of `edge` pixels. */
    icon: (bytes: Uint8Array, edge: number) =>
      ask({ kind: 'icon', trusted: true, bytes: Uint8Array.from(bytes), edge }, undefined),
    /** Makes a small still PNG of a stranger's picture, as a data URL of at most 40 KiB. */
    shrink: (bytes: Uint8Array, { edge, from }: { edge: number; from: Cause }) =>
      ask({ kind: 'shrink', trusted: false, bytes: Uint8Array.from(bytes), edge }, from),
    /** Resolves all waiting and later requests with null, and ends the threads. */
    async close(): Promise<void> {
      await Promise.all([own.close(), strangers.close()]);
    },
  };
}
