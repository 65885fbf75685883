import { PorchlightError } from '../contract/error.ts';
import { brokenArchive, type ArchiveFile } from './archive.ts';

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
