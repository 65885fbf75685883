import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations, renamePatiently } from '../../storage/file-operations.ts';
import { errorCode, writeFailure } from '../../storage/storage-error.ts';
import { goOn } from '../../storage/pacing.ts';
import { writeZip } from '../../storage/zip.ts';

/** The destination of an export. Names use `/` as separator. */
export interface Sink {
  text(name: string, text: string): Promise<void>;
  stream(name: string, content: AsyncIterable<string>): Promise<void>;
  /** Copies a file from the disk. Returns false if the file no longer exists. */
  file(name: string, from: { file: string; bytes: number }): Promise<boolean>;
}

/**
 * Writes an export into a zip if `path` ends with `.zip`, otherwise into a new or empty folder. `fill` writes the
 * content. The zip or folder gets its final name only when it is complete. If anything fails, no partial export
 * remains.
 */
export async function writeOut(
  path: string,
  signal: AbortSignal,
  fill: (sink: Sink) => Promise<void>,
): Promise<void> {
  if (path.toLowerCase().endsWith('.zip')) {
    await writeZip(path, signal, (zip) =>
      fill({
        text: (name, text) => zip.addBytes(name, Buffer.from(text)),
        stream: (name, content) => zip.addStream(name, content),
        file: (name, { file, bytes }) => presence(zip.addFile(name, file, { bytes })),
      }),
    );
  } else await writeFolder(path, signal, fill);
}

async function writeFolder(
  path: string,
  signal: AbortSignal,
  fill: (sink: Sink) => Promise<void>,
): Promise<void> {
  const there = await readdir(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw new PorchlightError('invalid_request', `Porchlight can’t read the folder “${path}”.`);
  });
  if (there.length > 0)
    throw new PorchlightError(
      'invalid_request',
      `“${path}” isn’t empty. Choose a new folder, or a name that ends with .zip.`,
    );
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  const place = async (name: string) => {
    await mkdir(dirname(join(temporary, name)), { recursive: true });
    return join(temporary, name);
  };
  try {
    // The export contains private posts, so other users must not be able to open this folder.
    await mkdir(temporary, { mode: 0o700 });
    await fill({
      text: async (name, text) => writeFile(await place(name), text, { flush: true }),
      stream: async (name, content) =>
        pipeline(Readable.from(content), createWriteStream(await place(name), { flush: true })),
      file: async (name, { file }) => presence(copyFile(file, await place(name))),
    });
    signal.throwIfAborted();
    // This rename also works if `path` is an existing, empty folder.
    await renamePatiently(temporary, path);
    await nodeOperations.syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
    goOn({ signal });
    throw writeFailure(path, error);
  }
}

async function presence(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
