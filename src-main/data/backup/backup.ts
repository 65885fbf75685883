import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Entry } from 'yauzl';
import type { DataCounts } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../../storage/file-operations.ts';
import { isWithin, verified } from '../../storage/held-folders.ts';
import { entryNameOf, pathOfEntry } from '../../storage/kept-paths.ts';
import {
  broken,
  longestManifest,
  type Manifest,
  type ManifestFile,
  manifestName,
  newManifest,
  parseManifest,
  secretsName,
} from '../../storage/manifest.ts';
import { goOn, mapAtOnce, type LongTask } from '../../storage/pacing.ts';
import type { Records } from '../../storage/records/records.ts';
import { errorCode, systemWriteFailure, writeFailure } from '../../storage/storage-error.ts';
import {
  damagedZip,
  isPlainFile,
  readingZip,
  smallEntry,
  writeZip,
  type ZipReader,
  type ZipWriter,
} from '../../storage/zip.ts';
import { needRoom } from './copying.ts';
import { longestEnvelope, type SealedSecrets, sealSecrets } from './secrets-envelope.ts';
import { inWorkFolder, isMedia, type SnapshotFile, withSnapshot } from './snapshot.ts';

/** The result of checking a data folder that isn't in use. */
export interface Proof {
  readonly counts: Omit<DataCounts, 'bytes'>;
  /** The problems that were found, as messages for the owner. */
  readonly problems: readonly string[];
}

/**
 * Opens and checks everything in a data folder, as the server does at startup. Also rebuilds the folder's indexes.
 * @throws PorchlightError `cancelled` once `signal` aborts, and any error that would prevent a startup, such as the
 * error about a newer format.
 */
export type Prove = (dir: string, signal: AbortSignal) => Promise<Proof>;

export interface BackupOptions {
  readonly dataDir: string;
  /** The path of the zip to write. An existing zip with that name is replaced once the new zip has been checked. */
  readonly file: string;
  readonly version: string;
  readonly me: string | null;
  /** The current time, in ms since 1970. */
  readonly now: number;
  /** The secrets to include in the backup. They are encrypted with the passphrase. */
  readonly secrets?:
    | (SealedSecrets & { readonly passphrase: string; readonly workFactor?: number | undefined })
    | undefined;
  /** Whether to refuse a `file` that exists. */
  readonly isNew?: boolean | undefined;
  /** Whether `file` may be in the data folder: in a place that no backup contains, on its way to the owner's browser. */
  readonly mayLieInside?: boolean;
  /** The open database of the folder. */
  readonly records: Pick<Records, 'lines' | 'documentFolders'>;
  readonly prove: Prove;
  readonly work: LongTask;
}

export type MadeBackup = Awaited<ReturnType<typeof makeBackup>>;

/**
 * Writes a backup while the server runs. It streams a snapshot (see snapshot.ts) into a zip, then reads the whole zip
 * back and restores it into a temporary folder. The zip gets its final name only if all of that succeeds.
 * @throws PorchlightError `invalid_request` for an unsuitable path, `file_exists`, `storage_full`, `storage_unwritable`,
 * `cancelled`.
 */
export async function makeBackup(options: BackupOptions) {
  const { dataDir, work, prove, mayLieInside = false } = options;
  if (!mayLieInside) await mustLieOutside(dataDir, options.file);
  const file = resolve(options.file);
  // The name must end with .zip, because the backup contains text from strangers. A file with another name might be run
  // as a script or loaded as settings.
  if (!file.toLowerCase().endsWith('.zip')) throw refused('The name of the file must end with .zip.');
  const withProof = async (files: readonly SnapshotFile[]) => {
    let proof: Proof | undefined;
    const gone: string[] = [];
    const { bytes } = await writeZip(file, work.signal, (zip) => fill(zip, files, options, gone), {
      isNew: options.isNew,
      check: async (written) => {
        proof = await readBack(written, { file, dataDir, work, prove });
      },
    });
    return {
      file,
      counts: { posts: 0, files: 0, mentions: 0, ...proof?.counts, bytes },
      problems: [...(proof?.problems ?? []), ...goneWords(gone.length)],
    };
  };
  return withSnapshot(dataDir, withProof, { beside: file, records: options.records });
}

/**
 * Checks that `file` is outside the data folder.
 * @throws PorchlightError `invalid_request` if `file` is in the data folder, isn't a full path, or is in a folder that
 * doesn't exist.
 */
export async function mustLieOutside(dataDir: string, file: string): Promise<void> {
  if (!isAbsolute(file)) throw refused(`“${file}” isn’t a full path. Start at the root of the disk.`);
  const folder = await realpath(dirname(file)).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    throw refused(`The folder “${dirname(file)}” doesn’t exist. Create it first, or choose another one.`);
  });
  if (isWithin(await verified(dataDir, () => realpath(dataDir)), join(folder, basename(file))))
    throw refused(
      'This path is inside Porchlight’s data folder. Choose a folder outside it, ideally on another disk.',
    );
}

/** Writes all files of a snapshot. `gone`: gets the paths of the media that were deleted meanwhile. */
async function fill(
  zip: ZipWriter,
  files: readonly SnapshotFile[],
  options: BackupOptions,
  gone: string[],
): Promise<Manifest> {
  const { secrets, work } = options;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const written: [string, ManifestFile][] = [];
  await mapAtOnce(files, async ({ path, bytes, file }) => {
    goOn(work);
    const name = entryNameOf(path);
    try {
      written.push([name, await zip.addFile(name, file, { bytes })]);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || !isMedia(path)) throw error;
      gone.push(path);
    }
    done += bytes;
    work.progress(done, total, 'Writing the backup.');
  });
  if (secrets) {
    work.progress(total, total, 'Encrypting the secrets.');
    const { passphrase, workFactor } = secrets;
    const sealed = await sealSecrets(secrets, passphrase, { signal: work.signal, workFactor });
    await zip.addBytes(secretsName, sealed);
  }
  const manifest = newManifest({
    version: options.version,
    madeAt: new Date(options.now).toISOString(),
    me: options.me,
    secrets: secrets !== undefined,
    bytes: written.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    files: Object.fromEntries(written.sort(([one], [other]) => (one < other ? -1 : 1))),
  });
  await zip.addBytes(manifestName, Buffer.from(JSON.stringify(manifest)));
  return manifest;
}

function goneWords(count: number): string[] {
  if (count === 0) return [];
  const what = count === 1 ? '1 file was' : `${count} files were`;
  return [
    `${what} deleted while the backup was made. The backup doesn’t contain ${count === 1 ? 'it' : 'them'}.`,
  ];
}

/**
 * Restores the zip `written` into a temporary folder beside `file`, and opens the data there as the server does at
 * startup.
 */
async function readBack(
  written: string,
  { file, dataDir, work, prove }: Pick<BackupOptions, 'file' | 'dataDir' | 'work' | 'prove'>,
): Promise<Proof> {
  return inWorkFolder(file, async (dir) => {
    await readingZip(written, async (zip) =>
      unpack(zip, await checkedManifest(zip), { dir, mediaIn: dataDir, sync: false, work }),
    );
    work.progress(0, 0, 'Checking the backup.');
    const proof = await prove(dir, work.signal);
    goOn(work);
    return proof;
  });
}

const refused = (message: string) => new PorchlightError('invalid_request', message);

const roomWords = (megabytes: number) =>
  `The disk with your data needs ${megabytes} MB of free space for this. Nothing was changed.`;

/**
 * Reads a backup's manifest, and checks that the zip contains exactly the files that the manifest lists.
 * @throws PorchlightError `not_a_backup`, `backup_broken`, `backup_newer`
 */
async function checkedManifest(zip: ZipReader): Promise<Manifest> {
  const entry = zip.entries.get(manifestName);
  if (entry === undefined) throw new PorchlightError('not_a_backup', 'This zip isn’t a Porchlight backup.');
  const text = (await zip.bytes(entry, longestManifest(zip.entries.keys()))).toString('utf8');
  const manifest = await parseManifest(text, zip.entries.size);
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
 * Returns what a backup says about itself, and its encrypted secrets if it has any.
 * @throws the errors of `readingZip` and of `checkedManifest`
 */
export function describeBackup(file: string): Promise<DescribedBackup> {
  return readingZip(file, async (zip) => {
    const { files: _files, ...about } = await checkedManifest(zip);
    const entry = about.secrets ? zip.entries.get(secretsName) : undefined;
    const sealed = entry && (await zip.bytes(entry, longestEnvelope));
    return { about, ...(sealed && { sealed }) };
  });
}

export interface DescribedBackup {
  readonly about: Omit<Manifest, 'files'>;
  readonly sealed?: Uint8Array;
}

/**
 * Checks a backup and unpacks its data into the empty folder `dir`. The data is on disk when the promise resolves.
 * @throws the errors of `readingZip`, of `checkedManifest` and of `unpack`
 */
export async function unpackBackup(file: string, dir: string, work: LongTask): Promise<void> {
  try {
    await readingZip(file, async (zip) => unpack(zip, await checkedManifest(zip), { dir, sync: true, work }));
  } catch (error) {
    throw systemWriteFailure(dir, error);
  }
}

/**
 * Unpacks a backup's data into the empty folder `dir`. Checks the hash of each file in the zip, and makes each unpacked
 * file readable only by its owner. `mediaIn`: the data folder from which the backup was made. Media become links to the
 * files there, which saves space.
 * @throws PorchlightError `storage_full` before anything is written, `backup_broken`, `storage_unwritable`,
 * `cancelled`.
 */
async function unpack(
  zip: ZipReader,
  manifest: Manifest,
  { dir, mediaIn, sync, work }: { dir: string; mediaIn?: string; sync: boolean; work: LongTask },
): Promise<void> {
  const files = Object.entries(manifest.files);
  const total = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  if (mediaIn === undefined) await needRoom(dir, total, roomWords);
  const folders = new Set<string>();
  let done = 0;
  await mapAtOnce(files, async ([name, { bytes, sha256 }]) => {
    goOn(work);
    const path = pathOfEntry(name);
    const entry = zip.entries.get(name);
    if (path === undefined || entry === undefined) throw broken(`${name} is missing`);
    const target = join(dir, path);
    const twin = mediaIn !== undefined && isMedia(path) ? join(mediaIn, path) : undefined;
    if (!folders.has(dirname(target))) await makeFolder(dirname(target), name);
    for (let folder = dirname(target); folder.length >= dir.length; folder = dirname(folder))
      folders.add(folder);
    const hash =
      bytes <= smallEntry && twin === undefined
        ? await copiedWhole(zip, entry, target, sync)
        : await copied(zip, entry, twin === undefined ? target : undefined, sync, work);
    if (hash !== sha256) throw broken(`${name} is not what it was`);
    if (twin !== undefined) await linkTo(twin, target);
    done += bytes;
    work.progress(done, total, mediaIn === undefined ? 'Unpacking.' : 'Checking the copy.');
  });
  if (sync) for (const folder of folders) await nodeOperations.syncFolder(folder);
}

/** Links to a file on this disk or another one; copies it on systems that allow no link. */
const linkTo = (file: string, target: string): Promise<void> =>
  link(file, target)
    .catch(() => symlink(file, target))
    .catch(() => copyFile(file, target));

/** Reads an entry and returns the hash of its content. Writes the content to `target`, if given. */
async function copied(
  zip: ZipReader,
  entry: Entry,
  target: string | undefined,
  flush: boolean,
  { signal }: LongTask,
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
    throw failed === error && target !== undefined ? unwritable(entry, target, error) : damagedZip(error);
  }
  return hash.digest('hex');
}

/** Does what `copied` does, for a small entry. */
async function copiedWhole(zip: ZipReader, entry: Entry, target: string, flush: boolean): Promise<string> {
  const content = await zip.bytes(entry, smallEntry);
  try {
    await writeFile(target, content, { flag: 'wx', mode: 0o600, flush });
  } catch (error) {
    throw unwritable(entry, target, error);
  }
  return createHash('sha256').update(content).digest('hex');
}

function unwritable({ fileName }: Entry, target: string, error: unknown): PorchlightError {
  const code = errorCode(error);
  if (code === 'EEXIST' || code === 'EISDIR')
    return broken(`${fileName} is in it twice on this computer’s disk`);
  return code?.startsWith('E') === true ? writeFailure(target, error) : damagedZip(error);
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
