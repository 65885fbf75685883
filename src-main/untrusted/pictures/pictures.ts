import { PorchlightError } from '../../contract/error.ts';
import type { Cause } from '../../platform/cause.ts';
import { systemClock, type Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { kinds, overLimit } from '../kinds.ts';
import { createPool, theOwner } from '../pool.ts';
import type { RequestedVersions } from './picture-decoder.ts';
import type { PictureJobs } from './picture-jobs.ts';
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

/** The time limits that differ from those of the kind (kinds.ts), in ms. */
const logoMs = 3000;
/** A photo of 12 megapixels takes about 3 s to convert, and one of 48 megapixels 12 s. */
const ownConversionMs = 60_000;
const strangersConversionMs = 20_000;

/**
 * The result for a picture that can't be decoded for a temporary reason: too many pictures are waiting, a budget is used
 * up, the computer is too busy, or the thread failed to start or is being closed.
 */
export const notNow = 'not now' as const;

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
  const own = createPool<PictureJobs>(kinds.ownPictures, { clock });
  const background = createPool<PictureJobs>(kinds.versions, { clock });
  const strangers = createPool<PictureJobs>(kinds.strangersPictures, { clock, refused: overBudget });
  const all = [own, background, strangers];

  /** `task`: whose turn it is, if the picture is the owner's: an upload waits for one thumbnail, not for all of a list. */
  async function ask<K extends keyof PictureJobs>(
    job: K,
    input: Parameters<PictureJobs[K]>[0],
    from: Cause | undefined,
    { deadlineMs, task = job }: { deadlineMs?: number | undefined; task?: string } = {},
  ): Promise<ReturnType<PictureJobs[K]> | null | typeof notNow> {
    const options = {
      ...(deadlineMs !== undefined && { deadlineMs }),
      ...('bytes' in input && { transfer: [input.bytes.buffer] }),
    };
    // Nobody waits for versions, and they would take a processor from the thumbnails of a list.
    if (job === 'versions' && !from) await own.idle();
    const pool = from ? strangers : job === 'versions' ? background : own;
    try {
      return await pool.run(job, input, from ?? `${theOwner}: ${task}`, 0, options);
    } catch (error) {
      if (!(error instanceof PorchlightError)) throw error;
      if (error.cause !== undefined) log.warn({ err: error, job }, 'A picture could not be decoded.');
      return overLimit(error) === undefined ? notNow : null;
    }
  }
  const copied = (bytes: Uint8Array) => Uint8Array.from(bytes);

  return {
    /** Returns the size of a picture file in pixels; null if it cannot be read. */
    measure: (file: string, { from }: { from?: Cause | undefined } = {}) =>
      orNull(ask('measure', { trusted: !from, file }, from)),
    /**
     * Makes a small, static WebP picture without metadata. Resolves with `notNow` if a later attempt may succeed: a
     * budget is used up, too many pictures are waiting, or the computer is too busy.
     */
    thumbnail: (file: string, { edge, from }: Fitting) =>
      ask('thumbnail', { trusted: !from, file, edge }, from),
    /**
     * Makes smaller versions of a picture for web pages, without metadata. Resolves with no versions of an animation or
     * a drawing, and with `notNow` like `thumbnail`.
     */
    versions: (
      file: string,
      { requested, from }: { requested: RequestedVersions; from?: Cause | undefined },
    ) => ask('versions', { trusted: !from, file, requested }, from),
    /**
     * Converts a HEIC picture (HEVC in HEIF) of at most 64 million pixels to JPEG, rotated as it is shown. Removes all
     * metadata except the color profile. Resolves with `notNow` like `thumbnail`.
     */
    jpeg: (file: string, { from }: Omit<Fitting, 'edge'>) =>
      ask('jpeg', { trusted: !from, file }, from, {
        deadlineMs: from ? strangersConversionMs : ownConversionMs,
      }),
    // The next three methods transfer a copy of the bytes to the thread, so that the caller keeps the original bytes.
    /** Works like `thumbnail`, for a picture in memory instead of a file. */
    portrait: (bytes: Uint8Array, { edge, from }: Fitting) =>
      orNull(ask('thumbnail', { trusted: !from, bytes: copied(bytes), edge }, from, { task: 'portrait' })),
    /** Makes a static PNG of the owner's picture, cropped to a square with sides of `edge` pixels. */
    icon: (bytes: Uint8Array, edge: number) =>
      orNull(ask('icon', { trusted: true, bytes: copied(bytes), edge }, undefined)),
    /** Makes a small, static PNG of a stranger's picture, as a data URL of at most 40 KiB. */
    shrink: (bytes: Uint8Array, { edge, from }: { edge: number; from: Cause }) =>
      orNull(ask('shrink', { trusted: false, bytes: copied(bytes), edge }, from, { deadlineMs: logoMs })),
    /** Resolves all waiting and later requests with null or `notNow`, and ends the threads. */
    async close(): Promise<void> {
      await Promise.all(all.map((pool) => pool.close()));
    },
  };
}

/** Returns null in place of `notNow`, for callers that don't try again. */
async function orNull<T>(answering: Promise<T | typeof notNow>): Promise<Exclude<T, typeof notNow> | null> {
  const answer = await answering;
  return answer === notNow ? null : (answer as Exclude<T, typeof notNow>);
}
