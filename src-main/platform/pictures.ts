import { createCauseBudget, turnOf, type Cause } from './cause.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { PictureJob, PictureJobs, WantedVersions } from './picture-job.ts';
import { createPictureLane, notNow, type PictureTurn } from './picture-lane.ts';

/**
 * Decodes pictures (PNG, JPEG, GIF, WebP, AVIF, SVG; recognized by content) in threads where they can do no harm.
 * Resolves with null if a file isn't a picture, is damaged, is too large (over 100 million pixels or 200 MB) or takes
 * too long (over 10 s; 30 s for `versions`, 60 s for a conversion from HEIC), or if too many pictures are waiting. Never
 * throws because of a picture.
 *
 * A picture with `from` comes from a stranger. It has stricter limits: 4 s (3 s for a logo, 20 s for a conversion),
 * 192 MB of pixels (64 million pixels for a conversion), and the budgets of its visitor and host. If it is a drawing, it
 * must be plain (isPlainDrawing). Pictures without `from` are the owner's own, and have their own threads: one for the
 * pictures that somebody waits for, and one for `versions`.
 */
export type Pictures = ReturnType<typeof createPictures>;

export interface Fitting {
  /** The maximum width and height of the result, in pixels. The picture is never enlarged. */
  readonly edge: number;
  readonly from?: Cause | undefined;
}

const ownDeadlineMs = 10_000;
/** The time limit for the versions of one of the owner's pictures, in ms. Nobody waits for them. */
const versionsDeadlineMs = 30_000;
const strangersDeadlineMs = 4000;
const logoDeadlineMs = 3000;
/** A photo of 12 megapixels takes about 3 s to convert, and one of 48 megapixels 12 s. */
const ownConversionMs = 60_000;
const strangersConversionMs = 20_000;
/**
 * The extra decoding time, in ms, that is charged for a picture that crashed its thread. The sender must then wait for
 * several minutes.
 */
const deathCost = 20_000;

/** Returns how long the thread may work on a picture, in ms. */
function deadlineOf(kind: PictureJob['kind'], from: Cause | undefined): number {
  if (kind === 'jpeg') return from ? strangersConversionMs : ownConversionMs;
  if (!from) return kind === 'versions' ? versionsDeadlineMs : ownDeadlineMs;
  return kind === 'shrink' ? logoDeadlineMs : strangersDeadlineMs;
}

/**
 * Creates the decoder. WebAssembly decodes pictures in three threads: two for the owner's pictures, so that an upload
 * never waits for the versions of other pictures, and one for strangers' pictures. Each thread decodes one picture at a
 * time.
 */
export function createPictures({
  log,
  clock = systemClock,
  overBudget,
}: {
  readonly log: Log;
  readonly clock?: Clock;
  /** Called for each picture that is refused because a budget is used up. Must not throw. */
  readonly overBudget?: () => void;
}) {
  const own = createPictureLane({ log, mostWaiting: 400, mostWaitingPerParty: 200 });
  const background = createPictureLane({ log, mostWaiting: 200, mostWaitingPerParty: 200 });
  const strangers = createPictureLane({ log, mostWaiting: 200, mostWaitingPerParty: 20 });
  /** The budgets for strangers' pictures, in ms of decoding time. */
  const budget = createCauseBudget({
    visitor: { burst: 5000, perMinute: 5000 },
    host: { burst: 15_000, perMinute: 10_000 },
    clock,
  });

  const forStranger = (from: Cause, deadlineMs: number): PictureTurn => ({
    party: turnOf(from),
    deadlineMs,
    mayBegin() {
      if (budget.waitMs(from) === 0) return true;
      overBudget?.();
      return false;
    },
    worked: (ms, wasFatal) => budget.charge(from, ms + (wasFatal ? deathCost : 0)),
  });

  async function ask<K extends keyof PictureJobs>(
    job: PictureJob & { kind: K },
    from: Cause | undefined,
  ): Promise<PictureJobs[K]['answer'] | null | typeof notNow> {
    const deadlineMs = deadlineOf(job.kind, from);
    if (from) return strangers.decode(job, forStranger(from, deadlineMs));
    // An upload waits for one thumbnail at most, not for all of a list.
    const turn = { party: job.kind, deadlineMs };
    if (job.kind !== 'versions') return own.decode(job, turn);
    // Nobody waits for versions, and they would take a processor from the thumbnails of a list.
    await own.idle();
    return background.decode(job, turn);
  }

  return {
    /** Returns the size of a picture file in pixels; null if it cannot be read. */
    measure: (file: string, { from }: { from?: Cause | undefined } = {}) =>
      orNull(ask({ kind: 'measure', trusted: !from, file }, from)),
    /**
     * Makes a small, static WebP picture without metadata. Resolves with `notNow` if a later attempt may succeed: a
     * budget is used up, too many pictures are waiting, or the computer is too busy.
     */
    thumbnail: (file: string, { edge, from }: Fitting) =>
      ask({ kind: 'thumbnail', trusted: !from, file, edge }, from),
    /**
     * Makes smaller versions of a picture for web pages, without metadata. Resolves with no versions of an animation or
     * a drawing, and with `notNow` like `thumbnail`.
     */
    versions: (file: string, { wanted, from }: { wanted: WantedVersions; from?: Cause | undefined }) =>
      ask({ kind: 'versions', trusted: !from, file, wanted }, from),
    /**
     * Converts a HEIC picture (HEVC in HEIF) of at most 64 million pixels to JPEG, rotated as it is shown. Removes all
     * metadata except the color profile. Resolves with `notNow` like `thumbnail`.
     */
    jpeg: (file: string, { from }: Omit<Fitting, 'edge'>) =>
      ask({ kind: 'jpeg', trusted: !from, file }, from),
    // The next three methods transfer a copy of the bytes to the thread, so that the caller keeps the original bytes.
    /** Works like `thumbnail`, for a picture in memory instead of a file. */
    portrait: (bytes: Uint8Array, { edge, from }: Fitting) =>
      orNull(ask({ kind: 'portrait', trusted: !from, bytes: Uint8Array.from(bytes), edge }, from)),
    /** Makes a static PNG of the owner's picture, cropped to a square with sides of `edge` pixels. */
    icon: (bytes: Uint8Array, edge: number) =>
      orNull(ask({ kind: 'icon', trusted: true, bytes: Uint8Array.from(bytes), edge }, undefined)),
    /** Makes a small, static PNG of a stranger's picture, as a data URL of at most 40 KiB. */
    shrink: (bytes: Uint8Array, { edge, from }: { edge: number; from: Cause }) =>
      orNull(ask({ kind: 'shrink', trusted: false, bytes: Uint8Array.from(bytes), edge }, from)),
    /** Resolves all waiting and later requests with null or `notNow`, and ends the threads. */
    async close(): Promise<void> {
      await Promise.all([own.close(), background.close(), strangers.close()]);
    },
  };
}

/** Returns null in place of `notNow`, for callers that don't try again. */
async function orNull<T>(answering: Promise<T | typeof notNow>): Promise<Exclude<T, typeof notNow> | null> {
  const answer = await answering;
  return answer === notNow ? null : (answer as Exclude<T, typeof notNow>);
}
