import { extname, join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import type { ArchiveFormat, SkippedPart } from '../../contract/post-import.ts';
import {
  busyFactor,
  startJobThread,
  ThreadFailed,
  type JobThread,
  type ThreadEnd,
} from '../../platform/job-thread.ts';
import { oneAtATime } from '../../storage/one-at-a-time.ts';
import type { ArchiveItem } from './archive-item.ts';
import { continueCall, working, type ArchiveAnswer, type ArchiveThreadData } from './archive-messages.ts';
import { placeIn, placeMemory } from './archive-place.ts';
import type { ArchiveCalls } from './archive-worker.ts';
import { brokenArchive, type FileInArchive } from './archive.ts';
import type { ConvertedPost } from './conversion.ts';
import type { FoundPage, FoundPost } from './found-post.ts';

// The thread's program is in the same folder as this file, both in the source and in the bundle.
const programFile = (name: string) => join(import.meta.dirname, name + extname(import.meta.filename));
const ownProgram = programFile('archive-worker');
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** An archive that a thread reads. The main thread receives only posts whose size is limited, and the bytes of files. */
export interface ThreadArchive {
  readonly format: ArchiveFormat;
  /** The entries that Porchlight refuses to read, such as symbolic links and encrypted files. */
  readonly refused: readonly SkippedPart[];
  /**
   * Yields the posts one by one, and the parts that can't be imported. Each call reads the archive from its start.
   * @throws PorchlightError `cancelled` once `signal` aborts; `archive_broken` if the archive is damaged, or if a post
   * can't be read within the limits. If each post is a file, that file is yielded as skipped instead.
   */
  items(signal: AbortSignal): AsyncGenerator<ArchiveItem>;
  /** Yields the content of a file piece by piece. */
  content(file: FileInArchive): AsyncGenerator<Uint8Array>;
  /**
   * Converts a post to the form that the post store uses. `urls`: the URLs of the post's media, in the same order;
   * undefined for a file that could not be imported. Resolves with undefined if the text is too long with these URLs.
   */
  convert(post: FoundPost, urls: readonly (string | undefined)[]): Promise<ConvertedPost | undefined>;
  /** Returns the text of a page with the new URLs of its files. `urls`: of its media, in the same order. */
  convertPage(page: FoundPage, urls: readonly (string | undefined)[]): Promise<string>;
  close(): Promise<void>;
}

export interface ArchiveThreadOptions {
  readonly path: string;
  readonly format: ArchiveFormat | 'auto';
  readonly signal: AbortSignal;
  /** How long the thread may be busy with one piece of work without responding, in ms. */
  readonly deadlineMs?: number;
  /** The path of the program that the thread runs. Only tests run another one. */
  readonly program?: string;
}

/** The maximum number of files that exceed the limits. Each of them costs a thread and the time until the deadline. */
const mostUnreadable = 10;

type Result<K extends keyof ArchiveCalls> = Awaited<ReturnType<ArchiveCalls[K]>>;

/**
 * Opens an archive in a thread with a memory limit. Everything that parses the archive runs there: the directory of a
 * zip, decompression, JSON, XML, front matter, HTML and Markdown.
 * @throws PorchlightError `not_found`, `archive_unknown`, `archive_broken`, `storage_unreadable`, `cancelled`
 */
export async function openInThread(options: ArchiveThreadOptions): Promise<ThreadArchive> {
  const { path, format, deadlineMs = 5000, program = ownProgram } = options;
  const place = placeMemory();
  const inTurn = oneAtATime();
  /** The files that can't be read within the limits, with the reasons. */
  const unreadable = new Map<string, string>();
  let thread = start();
  let readings = 0;

  function start(): JobThread {
    const workerData: ArchiveThreadData = { place };
    return startJobThread(program, { name: 'archive', resourceLimits, workerData });
  }

  async function callNow(call: string, input: unknown): Promise<unknown> {
    await thread.ready();
    const ask = async (message: unknown) =>
      (await thread.ask(message, deadlineMs, [], busyFactor * deadlineMs)) as ArchiveAnswer;
    let answer = await ask({ call, input });
    while (answer === working) answer = await ask(continueCall);
    if ('result' in answer) return answer.result;
    if ('failure' in answer)
      throw new Error('The thread that reads the archive failed.', { cause: answer.failure });
    const { code, message, status } = answer.refusal;
    throw new PorchlightError(code, message, status);
  }

  const tryCall = <K extends keyof ArchiveCalls>(call: K, input?: Parameters<ArchiveCalls[K]>[0]) =>
    inTurn(() => callNow(call, input)) as Promise<Result<K>>;

  async function call<K extends keyof ArchiveCalls>(
    name: K,
    input: Parameters<ArchiveCalls[K]>[0],
  ): Promise<Result<K>> {
    try {
      return await tryCall(name, input);
    } catch (error) {
      throw error instanceof ThreadFailed ? failureOf(error) : error;
    }
  }

  /** Continues after the thread failed at a file that is one post: records the file as unreadable. */
  async function restartWithout(failure: ThreadFailed, isPostPerFile: boolean, after: number): Promise<void> {
    const { path: file, item } = placeIn(place);
    if (!isTooMuch(failure.why) || file === '') throw failureOf(failure);
    if (!isPostPerFile)
      throw brokenArchive(`Item ${item.toLocaleString('en')} of “${file}” ${tooMuch[failure.why]}`, failure);
    unreadable.set(file, `It ${tooMuch[failure.why]}`);
    if (unreadable.size > mostUnreadable)
      throw brokenArchive(`Too many of its files take too much time or memory to read, such as “${file}”.`);
    await thread.end();
    thread = start();
    await call('open', { path, format });
    await call('begin', { after, unreadable });
  }

  async function* items(isPostPerFile: boolean, signal: AbortSignal): AsyncGenerator<ArchiveItem> {
    let done = 0;
    await orCancelled(call('begin', { after: 0, unreadable }), signal);
    for (;;) {
      let next: Result<'next'>;
      try {
        next = await orCancelled(tryCall('next'), signal);
      } catch (error) {
        if (!(error instanceof ThreadFailed)) throw error;
        await orCancelled(restartWithout(error, isPostPerFile, done), signal);
        continue;
      }
      for (const item of next.items) {
        done += 1;
        yield item;
      }
      if (next.isEnd) return;
    }
  }

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
    const {
      format: found,
      isPostPerFile,
      refused,
    } = await orCancelled(call('open', { path, format }), options.signal);
    return {
      format: found,
      refused,
      items: (signal) => items(isPostPerFile, signal),
      content,
      convert: (post, urls) => call('convert', { post, urls }),
      convertPage: (page, urls) => call('convertPage', { page, urls }),
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
} as const satisfies Partial<Record<ThreadEnd, string>>;

const isTooMuch = (why: ThreadEnd): why is keyof typeof tooMuch => why in tooMuch;

function failureOf(failure: ThreadFailed): PorchlightError {
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
