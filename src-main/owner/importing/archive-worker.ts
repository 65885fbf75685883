import { parentPort, workerData } from 'node:worker_threads';
import { PorchlightError } from '../../contract/error.ts';
import type { ArchiveFormat, SkippedPart } from '../../contract/post-import.ts';
import { archiveItem, sizeOf, type ArchiveItem } from './archive-item.ts';
import {
  continueCall,
  working,
  type ArchiveAnswer,
  type ArchiveCall,
  type ArchiveThreadData,
} from './archive-messages.ts';
import { placeWriter } from './archive-place.ts';
import { brokenArchive, type Archive, type ArchiveFile } from './archive.ts';
import { contentOfFound, fileUrls, type ConvertedPost } from './conversion.ts';
import { readerFor } from './detect.ts';
import { withFilesAt } from './exported.ts';
import type { Finding, FoundPage, FoundPost } from './found-post.ts';
import type { ArchiveReader } from './formats/reader.ts';
import { openArchive } from './open-archive.ts';

/** How much one message may hold. A single item may be larger: up to 200,000 characters of text, and its URLs. */
const most = { items: 200, characters: 250_000, bytes: 500_000, ms: 50 };
/** How long a call may take before the thread answers that it is working, in ms. */
const patienceMs = 500;

const place = placeWriter((workerData as ArchiveThreadData).place);
let opened: { archive: Archive; reader: ArchiveReader; files: readonly ArchiveFile[] } | undefined;
let findings: AsyncIterator<Finding> | undefined;
const contents = new Map<number, AsyncIterator<Uint8Array>>();

function open(): NonNullable<typeof opened> {
  if (!opened) throw new Error('No archive is open.');
  return opened;
}

/** The calls that the main thread makes (archive-thread.ts), one at a time. */
const calls = {
  async open({ path, format }: { path: string; format: ArchiveFormat | 'auto' }) {
    const archive = await openArchive(path);
    const { reader, files } = await readerFor(archive, format);
    opened = { archive, reader, files };
    return { format: reader.format, isPostPerFile: reader.isPostPerFile === true, refused: archive.refused };
  },

  /**
   * Begins to read the posts. If each post is a file, skips the first `after` files, which have been read before, and
   * the files in `unreadable`: the reasons, by path.
   */
  begin({ after, unreadable }: { after: number; unreadable: ReadonlyMap<string, string> }): void {
    findings = findingsIn(open(), after, unreadable)[Symbol.asyncIterator]();
  },

  /** Returns the next items. */
  async next(): Promise<{ items: ArchiveItem[]; isEnd: boolean }> {
    const items: ArchiveItem[] = [];
    const until = performance.now() + most.ms;
    let characters = 0;
    while (items.length < most.items && characters < most.characters && performance.now() < until) {
      const next = await findings?.next();
      if (next?.done !== false) return { items, isEnd: true };
      const item = archiveItem(next.value);
      place.nextItem();
      characters += sizeOf(item);
      items.push(item);
    }
    return { items, isEnd: false };
  },

  /** Returns the next part of a file; undefined at its end. `id`: identifies the reading. */
  async read({ id, path }: { id: number; path: string }): Promise<Uint8Array | undefined> {
    const content = contents.get(id) ?? open().archive.files.get(path)?.content()[Symbol.asyncIterator]();
    if (!content) throw brokenArchive(`“${path}” is missing.`);
    contents.set(id, content);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < most.bytes) {
      const next = await content.next();
      if (next.done === true) break;
      chunks.push(next.value);
      bytes += next.value.length;
    }
    if (bytes === 0) return undefined;
    const whole = new Uint8Array(bytes);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  },

  /** Ends the reading of a file. */
  async leave({ id }: { id: number }): Promise<void> {
    await contents.get(id)?.return?.();
    contents.delete(id);
  },

  /** Converts a post. `urls`: the URLs of its media, in the same order. Returns undefined if it becomes too long. */
  convert({
    post,
    urls,
  }: {
    post: FoundPost;
    urls: readonly (string | undefined)[];
  }): ConvertedPost | undefined {
    return contentOfFound(post, (media) => urls[post.media.indexOf(media)]);
  },

  /** Returns the text of a page with the new URLs of its files. `urls`: of its media, in the same order. */
  convertPage({
    page: { page, media },
    urls,
  }: {
    page: FoundPage;
    urls: readonly (string | undefined)[];
  }): string {
    return withFilesAt(
      page.text,
      fileUrls(media, (one) => urls[media.indexOf(one)]),
    );
  },
};
export type ArchiveCalls = typeof calls;

async function* findingsIn(
  { archive, reader, files }: NonNullable<typeof opened>,
  after: number,
  unreadable: ReadonlyMap<string, string>,
): AsyncGenerator<Finding> {
  if (reader.isPostPerFile !== true) {
    yield* reader.read(archive, { [Symbol.iterator]: () => recorded(files) });
    return;
  }
  for (const file of files.slice(after)) {
    const why = unreadable.get(file.path);
    if (why === undefined) yield* reader.read(archive, { [Symbol.iterator]: () => recorded([file]) });
    else yield { skipped: { what: file.path, why } satisfies SkippedPart, isPost: true };
  }
}

/** Yields the files, and records each of them as the place that is being read. */
function* recorded(files: readonly ArchiveFile[]): Generator<ArchiveFile> {
  for (const file of files) {
    place.beginFile(file.path);
    yield file;
  }
}

async function answerTo({ call, input }: ArchiveCall): Promise<ArchiveAnswer> {
  try {
    return { result: await calls[call as keyof ArchiveCalls](input as never) };
  } catch (error) {
    if (error instanceof PorchlightError) {
      const { code, message, status } = error;
      return { refusal: { code, message, status } };
    }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const port = parentPort;
let running: Promise<ArchiveAnswer> = Promise.resolve(working);

/** Sends the answer to the running call, or `working` if the call takes longer than a moment. */
async function respond(): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ArchiveAnswer>((resolve) => {
    timer = setTimeout(() => resolve(working), patienceMs);
  });
  const answer = await Promise.race([running, late]);
  clearTimeout(timer);
  const bytes = answer !== working && 'result' in answer ? answer.result : undefined;
  // Moves the bytes of a file to the main thread instead of copying them.
  port?.postMessage(answer, bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : []);
}

port?.on('message', (message: ArchiveCall | typeof continueCall) => {
  if (message !== continueCall) running = answerTo(message);
  void respond();
});
port?.postMessage('ready');
