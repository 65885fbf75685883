import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { DataCounts } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import { isWithin, verified } from '../../storage/held-folders.ts';
import type { Records } from '../../storage/records/records.ts';
import { errorCode } from '../../storage/storage-error.ts';
import { entryNameOf } from '../../storage/kept-paths.ts';
import {
  manifestName,
  newManifest,
  secretsName,
  type Manifest,
  type ManifestFile,
} from '../../storage/manifest.ts';
import { sealSecrets, type SealedSecrets } from './secrets-envelope.ts';
import { inWorkFolder, withSnapshot, type Snapshot } from './snapshot.ts';
import { checkedManifest, unpack } from './unpack.ts';
import { goOn, type Work } from '../../storage/paced-work.ts';
import { readingZip } from '../../storage/zip-reader.ts';
import { writeZip, type ZipWriter } from '../../storage/zip-writer.ts';

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
  /** The open database of the folder. */
  readonly records: Pick<Records, 'lines'>;
  readonly prove: Prove;
  readonly work: Work;
}

export type MadeBackup = Awaited<ReturnType<typeof makeBackup>>;

/**
 * Writes a backup while the server runs. It streams a snapshot (see snapshot.ts) into a zip, then reads the whole zip
 * back and restores it into a temporary folder. The zip gets its final name only if all of that succeeds.
 * @throws PorchlightError `invalid_request` for an unsuitable path, `storage_full`, `storage_unwritable`, `cancelled`.
 */
export async function makeBackup(options: BackupOptions) {
  const { dataDir, work, prove } = options;
  await mustLieOutside(dataDir, options.file);
  const file = resolve(options.file);
  // The name must end with .zip, because the backup contains text from strangers. A file with another name might be run
  // as a script or loaded as settings.
  if (!file.toLowerCase().endsWith('.zip')) throw refused('The name of the file must end with .zip.');
  const withProof = async (snapshot: Snapshot) => {
    let proof: Proof | undefined;
    const { bytes } = await writeZip(
      file,
      work.signal,
      (zip) => fill(zip, snapshot, options),
      async (written) => {
        proof = await readBack(written, snapshot, { dataDir, work, prove });
      },
    );
    return {
      file,
      counts: { posts: 0, files: 0, mentions: 0, ...proof?.counts, bytes },
      problems: proof?.problems ?? [],
    };
  };
  return withSnapshot(dataDir, withProof, { records: options.records });
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

async function fill(zip: ZipWriter, { dir, files }: Snapshot, options: BackupOptions): Promise<Manifest> {
  const { secrets, work } = options;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const written: [string, ManifestFile][] = [];
  let done = 0;
  for (const { path, bytes } of files) {
    goOn(work);
    const name = entryNameOf(path);
    written.push([name, await zip.addFile(name, join(dir, path), { bytes })]);
    done += bytes;
    work.progress(done, total, 'Writing the backup.');
  }
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
    bytes: total,
    files: Object.fromEntries(written),
  });
  await zip.addBytes(manifestName, Buffer.from(JSON.stringify(manifest)));
  return manifest;
}

/** Restores a zip into a temporary folder, and opens the data there as the server does at startup. */
async function readBack(
  file: string,
  snapshot: Snapshot,
  { dataDir, work, prove }: Pick<BackupOptions, 'dataDir' | 'work' | 'prove'>,
): Promise<Proof> {
  return inWorkFolder(dataDir, async (dir) => {
    await readingZip(file, async (zip) =>
      unpack(zip, await checkedManifest(zip), { dir, sameAs: snapshot.dir, sync: false, work }),
    );
    work.progress(0, 0, 'Checking the backup.');
    const proof = await prove(dir, work.signal);
    goOn(work);
    return proof;
  });
}

const refused = (message: string) => new PorchlightError('invalid_request', message);
