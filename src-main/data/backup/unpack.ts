import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Entry } from 'yauzl';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../../storage/file-operations.ts';
import { errorCode, writeFailure } from '../../storage/storage-error.ts';
import { pathOfEntry } from '../../storage/kept-paths.ts';
import {
  broken,
  longestManifest,
  manifestName,
  parseManifest,
  secretsName,
  type Manifest,
} from '../../storage/manifest.ts';
import { goOn, type Work } from '../../storage/paced-work.ts';
import { damagedZip, isPlainFile, type ZipReader } from '../../storage/zip-reader.ts';

/** How many bytes must stay free on the disk after unpacking. */
const roomToSpare = 50_000_000;
/** Files above this size, in bytes, become hard links to the identical files in `sameAs`, if that folder is given. */
const smallBytes = 1_000_000;

/**
 * Reads a backup's manifest, and checks that the zip contains exactly the files that the manifest lists.
 * @throws PorchlightError `not_a_backup`, `backup_broken`, `backup_newer`
 */
export async function checkedManifest(zip: ZipReader): Promise<Manifest> {
  const entry = zip.entries.get(manifestName);
  if (entry === undefined) throw new PorchlightError('not_a_backup', 'This zip isn’t a Porchlight backup.');
  const manifest = await parseManifest(
    (await zip.bytes(entry, longestManifest(zip.entries.keys()))).toString('utf8'),
  );
  const listed = new Set(Object.keys(manifest.files));
  for (const one of zip.entries.values()) {
    if (!isPlainFile(one)) throw broken(`${one.fileName} is not a plain file`);
    if (one.fileName === manifestName) continue;
    if (one.fileName === secretsName && manifest.secrets) continue;
    if (!listed.delete(one.fileName)) throw broken(`it holds ${one.fileName}, which nobody put into it`);
    if (pathOfEntry(one.fileName) === undefined)
      throw broken(`${one.fileName} is no name that Porchlight would give`);
    if (manifest.files[one.fileName]?.bytes !== one.uncompressedSize)
      throw broken(`${one.fileName} has another size than it should`);
  }
  const [missing] = listed;
  if (missing !== undefined) throw broken(`${missing} is missing`);
  if (manifest.secrets && !zip.entries.has(secretsName)) throw broken('its secrets are missing');
  return manifest;
}

/**
 * Unpacks a backup's data into the empty folder `dir`. Checks the hash of each file in the zip, and makes each unpacked
 * file readable only by its owner. `sameAs`: a folder with the same files. Large files become hard links to the files
 * in that folder, which saves space.
 * @throws PorchlightError `storage_full` before anything is written, `backup_broken`, `storage_unwritable`,
 * `cancelled`.
 */
export async function unpack(
  zip: ZipReader,
  manifest: Manifest,
  { dir, sameAs, sync, work }: { dir: string; sameAs?: string; sync: boolean; work: Work },
): Promise<void> {
  const files = Object.entries(manifest.files);
  const total = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  const isTwin = (bytes: number) => sameAs !== undefined && bytes > smallBytes;
  await needRoom(
    dir,
    files.reduce((sum, [, { bytes }]) => (isTwin(bytes) ? sum : sum + bytes), 0),
  );
  const folders = new Set<string>();
  let done = 0;
  for (const [name, { bytes, sha256 }] of files) {
    goOn(work);
    const path = pathOfEntry(name);
    const entry = zip.entries.get(name);
    if (path === undefined || entry === undefined) throw broken(`${name} is missing`);
    const target = join(dir, path);
    const twin = sameAs !== undefined && isTwin(bytes) ? join(sameAs, path) : undefined;
    await makeFolder(dirname(target), name);
    for (let folder = dirname(target); folder.length >= dir.length; folder = dirname(folder))
      folders.add(folder);
    if ((await copied(zip, entry, twin === undefined ? target : undefined, sync, work)) !== sha256)
      throw broken(`${name} is not what it was`);
    if (twin !== undefined) await link(twin, target).catch(() => copyFile(twin, target));
    done += bytes;
    work.progress(done, total, sameAs === undefined ? 'Unpacking.' : 'Checking the copy.');
  }
  if (sync) for (const folder of folders) await nodeOperations.syncFolder(folder);
}

/** Reads an entry and returns the hash of its content. Writes the content to `target`, if given. */
async function copied(
  zip: ZipReader,
  entry: Entry,
  target: string | undefined,
  flush: boolean,
  { signal }: Work,
): Promise<string> {
  const hash = createHash('sha256');
  const source = await zip.stream(entry);
  source.on('data', (chunk: Buffer) => hash.update(chunk));
  const sink =
    target === undefined ? nowhere() : createWriteStream(target, { flags: 'wx', mode: 0o600, flush });
  let failed: unknown;
  sink.on('error', (error: Error) => (failed ??= error));
  try {
    await pipeline(source, sink, { signal });
  } catch (error) {
    goOn({ signal });
    const code = errorCode(error);
    if (failed === error && (code === 'EEXIST' || code === 'EISDIR'))
      throw broken(`${entry.fileName} is in it twice on this computer’s disk`);
    if (failed === error && target !== undefined && code?.startsWith('E')) throw writeFailure(target, error);
    throw damagedZip(error);
  }
  return hash.digest('hex');
}

async function makeFolder(folder: string, entry: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') throw broken(`${entry} is in a folder that is a file`);
    throw writeFailure(folder, error);
  }
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

async function needRoom(dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize < bytes + roomToSpare) {
    throw new PorchlightError(
      'storage_full',
      `The disk with your data needs ${Math.ceil((bytes + roomToSpare) / 1e6)} MB of free space for this. Nothing was changed.`,
      507,
    );
  }
}
