import { PorchlightError } from '../contract/error.ts';
import type { ArchiveFormat } from '../contract/post-import.ts';
import { kinds } from '../untrusted/kinds.ts';
import { JobFailed, startThread, type JobEnd } from '../untrusted/thread.ts';
import { oneAtATime } from '../storage/pacing.ts';
import type { ArchiveItem } from './conversion.ts';
import type { ArchiveJobs } from './archive-jobs.ts';
import { brokenArchive, type FileInArchive, placeIn, placeKey, placeMemory } from './archive.ts';
import type { FoundPage, FoundPost } from './found-post.ts';

/** An archive that a thread reads. The main thread receives only posts whose size is limited, and the bytes of files. */
export type ThreadArchive = Awaited<ReturnType<typeof openInThread>>;

export interface ArchiveThreadOptions {
  readonly path: string;
  readonly format: ArchiveFormat | 'auto';
  readonly signal: AbortSignal;
  /** The processor time that the thread may use without responding, in ms. */
  readonly deadlineMs?: number;
  /** The path of the program that the thread runs. Only tests run another one. */
  readonly program?: string;
}

/** The maximum number of posts that exceed the limits. Each of them costs a thread and the time until the deadline. */
const mostUnreadable = 10;

type Result<K extends keyof ArchiveJobs> = Awaited<ReturnType<ArchiveJobs[K]>>;

/**
 * Opens an archive in a thread with a memory limit. Everything that parses the archive runs there: the directory of a
 * zip, decompression, JSON, XML, front matter, HTML and Markdown.
 * @throws PorchlightError `not_found`, `archive_unknown`, `archive_broken`, `storage_unreadable`, `cancelled`
 */
export async function openInThread(options: ArchiveThreadOptions) {
  const { path, format, deadlineMs = kinds.archive.deadlineMs, program: file } = options;
  const place = placeMemory();
  const inTurn = oneAtATime();
  /** The items that can't be read within the limits, with the reasons. */
  const unreadable = new Map<string, string>();
  const start = () => startThread({ kind: kinds.archive, file });
  let thread = start();
  let readings = 0;

  const tryCall = <K extends keyof ArchiveJobs>(job: K, input?: Parameters<ArchiveJobs[K]>[0]) =>
    inTurn(async () => {
      await thread.ready();
      return (await thread.run(job, input, { deadlineMs })) as Result<K>;
    });

  async function call<K extends keyof ArchiveJobs>(
    job: K,
    input: Parameters<ArchiveJobs[K]>[0],
  ): Promise<Result<K>> {
    try {
      return await tryCall(job, input);
    } catch (error) {
      throw error instanceof JobFailed ? failureOf(error) : error;
    }
  }

  const begin = (after: number) => call('begin', { after, unreadable, place });

  /** Continues after the thread failed at an item: records the item as unreadable. */
  async function restartWithout(failure: JobFailed, after: number): Promise<void> {
    const at = placeIn(place);
    const reason = isTooMuch(failure.why) && at.path !== '' ? tooMuch[failure.why] : undefined;
    if (reason === undefined || unreadable.has(placeKey(at))) throw failureOf(failure);
    unreadable.set(placeKey(at), `It ${reason}`);
    if (unreadable.size > mostUnreadable)
      throw brokenArchive(`Too many of its posts can’t be read, such as one in “${at.path}”: it ${reason}`);
    await thread.end();
    thread = start();
    await call('open', { path, format });
    await begin(after);
  }

  /**
   * Yields the posts one by one, and the parts that can't be imported. Each call reads the archive from its start.
   * A post that can't be read within the limits is yielded as skipped.
   * @throws PorchlightError `cancelled` once `signal` aborts; `archive_broken` if the archive is damaged, or if too many of
   * its posts can't be read within the limits
   */
  async function* items(signal: AbortSignal): AsyncGenerator<ArchiveItem> {
    let done = 0;
    await orCancelled(begin(0), signal);
    for (;;) {
      let next: Result<'next'>;
      try {
        next = await orCancelled(tryCall('next'), signal);
      } catch (error) {
        if (!(error instanceof JobFailed)) throw error;
        await orCancelled(restartWithout(error, done), signal);
        continue;
      }
      for (const item of next.items) {
        done += 1;
        yield item;
      }
      if (next.isEnd) return;
    }
  }

  /** Yields the content of a file piece by piece. */
  async function* content({ path: file }: FileInArchive): AsyncGenerator<Uint8Array> {
    const id = (readings += 1);
    try {
      for (;;) {
        const piece = await call('read', { id, path: file });
        if (piece === undefined) return;
        yield piece;
      }
    } finally {
      await call('leave', { id });
    }
  }

  try {
    const { format: found, refused } = await orCancelled(call('open', { path, format }), options.signal);
    return {
      format: found,
      /** The entries that Porchlight refuses to read, such as symbolic links and encrypted files. */
      refused,
      items,
      content,
      /**
       * Converts a post to the form that the post store uses. `urls`: the URLs of the post's media, in the same order;
       * undefined for a file that could not be imported. Resolves with undefined if the text is too long with these URLs.
       */
      convert: (post: FoundPost, urls: readonly (string | undefined)[]) => call('convert', { post, urls }),
      /** Returns the text of a page with the new URLs of its files. `urls`: of its media, in the same order. */
      convertPage: (page: FoundPage, urls: readonly (string | undefined)[]) =>
        call('convertPage', { page, urls }),
      close: async () => void (await thread.end()),
    };
  } catch (error) {
    await thread.end();
    throw error;
  }
}

const tooMuch = {
  late: 'takes too long to read.',
  'out-of-memory': 'takes too much memory to read.',
  crashed: 'can’t be read.',
  failed: 'can’t be read.',
} as const satisfies Partial<Record<JobEnd, string>>;

const isTooMuch = (why: JobEnd): why is keyof typeof tooMuch => why in tooMuch;

function failureOf(failure: JobFailed): PorchlightError {
  if (isTooMuch(failure.why)) return brokenArchive(`It ${tooMuch[failure.why]}`, failure);
  return new PorchlightError(
    'reading_unavailable',
    'Porchlight couldn’t read the archive. Try again later.',
    503,
    { cause: failure },
  );
}

/**
 * Waits for a promise, but no longer than until the signal aborts.
 * @throws PorchlightError `cancelled`
 */
async function orCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const cancelled = new PorchlightError('cancelled', 'Cancelled.', 409);
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(cancelled);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
