import { PorchlightError } from '../contract/error.ts';
import type { SkippedPart } from '../contract/post-import.ts';

/** A file of an archive, by its path in the archive, with `/` as the separator. */
export interface FileInArchive {
  readonly path: string;
}

export interface ArchiveFile extends FileInArchive {
  /** The file's size in bytes, as stated in the archive. Reading a file from a zip fails if its real size differs. */
  readonly bytes: number;
  /** Reads the file piece by piece. */
  content(): AsyncIterable<Uint8Array>;
}

/**
 * An archive on the owner's disk: a file, a zip or a folder. Its content is untrusted, and can't give access to files
 * outside the archive.
 */
export interface Archive {
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** The entries that Porchlight refuses to read, such as symbolic links and encrypted files. */
  readonly refused: readonly SkippedPart[];
  close(): void;
}

/**
 * Counts the files of an archive, including those that Porchlight refuses to read. There is a limit on their number and
 * on the length of their names, because all names are kept in memory.
 * @throws PorchlightError `archive_broken` if there are too many
 */
export function fileCounter(): (path: string) => void {
  let [files, characters] = [0, 0];
  return (path) => {
    files += 1;
    characters += path.length;
    if (files > mostFilesInArchive || characters > mostCharacters) throw tooManyFiles();
  };
}

export const mostFilesInArchive = 300_000;
const mostCharacters = 50_000_000;
export const tooManyFiles = () => brokenArchive('It has too many files.');

/** Creates the error for an archive that is damaged or hostile. `why`: the reason, as one sentence. */
export const brokenArchive = (why: string, cause?: unknown) =>
  new PorchlightError('archive_broken', `The archive can’t be imported. ${why}`, 400, { cause });

/**
 * Yields the content of a file. `open`: opens the file.
 * @throws PorchlightError `archive_broken` if it can't be read
 */
export async function* contentOf(
  path: string,
  open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* await open();
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    throw brokenArchive(`“${path}” can’t be read.`, error);
  }
}

/** Creates the error for a file that isn't an archive in a known format. */
export const notAnArchive = (
  what = 'Choose an export of Porchlight, a Mastodon, Twitter, WordPress or micro.blog archive, or a folder of Markdown files.',
) => new PorchlightError('archive_unknown', `Porchlight can’t import this. ${what}`);

/**
 * Yields a file's text piece by piece. A file that begins with a UTF-16 byte order mark is decoded as UTF-16. Any other
 * file is decoded in the encoding that its XML declaration names, or else as UTF-8.
 * @throws PorchlightError `archive_broken` if the file has another encoding
 */
export async function* archiveText(file: ArchiveFile): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const chunk of file.content()) {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder?.decode() ?? '';
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    throw brokenArchive(`“${file.path}” isn’t readable as text. Its encoding is wrong or unknown.`, error);
  }
}

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const declaration = /^<\?xml[^>]*\bencoding=["']([\w.-]{1,40})["']/.exec(
    Buffer.from(start.subarray(0, 200)).toString('latin1'),
  );
  return declaration?.[1] ?? 'utf-8';
}

/**
 * Returns the text of a small file.
 * @throws PorchlightError `archive_broken` if the file has more than `most` bytes, or isn't text
 */
export async function wholeText(file: ArchiveFile, most: number): Promise<string> {
  if (file.bytes > most) throw brokenArchive(`“${file.path}” is too large.`);
  let text = '';
  for await (const piece of archiveText(file)) {
    text += piece;
    if (text.length > most) throw brokenArchive(`“${file.path}” is too large.`);
  }
  return text;
}

/** Returns about the first 100,000 characters of a file; an empty string if the file isn't text. */
export async function firstText(file: ArchiveFile): Promise<string> {
  let text = '';
  try {
    for await (const piece of archiveText(file)) {
      text += piece;
      if (text.length > 100_000) break;
    }
  } catch (error) {
    if (!(error instanceof PorchlightError && error.code === 'archive_broken')) throw error;
  }
  return text;
}

const longestPath = 4096;

/** Where in an archive the thread is reading. `item`: the number of the item in the file, from 1. */
interface ArchivePlace {
  readonly path: string;
  readonly item: number;
}

/** Returns a place as text. It identifies an item that can't be read. */
export const placeKey = ({ path, item }: ArchivePlace) => `${item} ${path.slice(0, longestPath / 4)}`;

/** Creates the memory in which a thread records where it is reading, for the case that it never responds again. */
export const placeMemory = () => new SharedArrayBuffer(8 + longestPath);

/** Returns a function that records the place in an archive that is being read. */
export function placeWriter(memory: SharedArrayBuffer): (place: ArchivePlace) => void {
  const numbers = new Int32Array(memory, 0, 2);
  let last = '';
  return ({ path, item }) => {
    if (path !== last) numbers[0] = Buffer.from(memory, 8).write(path);
    last = path;
    numbers[1] = item;
  };
}

/** Returns the last place that a thread recorded. The path is empty if there is none. Cuts off a very long path. */
export function placeIn(memory: SharedArrayBuffer): ArchivePlace {
  const [length = 0, item = 0] = new Int32Array(memory, 0, 2);
  return { path: Buffer.from(memory, 8, length).toString(), item };
}
