import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { renamePatiently } from '../../storage/file-operations.ts';
import { errorCode, systemWriteFailure, writeFailure } from '../../storage/storage-error.ts';
import type { DescribedBackup, Prove } from './backup.ts';
import { workPrefix } from '../../storage/kept-paths.ts';
import {
  dropPending,
  leftoverPath,
  type Pending,
  readPending,
  stagedFolder,
  writePending,
} from './pending.ts';
import { broken } from '../../storage/manifest.ts';
import { openSecrets, type SealedSecrets } from './secrets-envelope.ts';
import { goOn, type LongTask } from '../../storage/pacing.ts';

/** Reads a backup that anybody may have made, where that can do no harm. */
export interface BackupUnpacker {
  /** See describeBackup. */
  describe(file: string, work: LongTask): Promise<DescribedBackup>;
  /** See unpackBackup. */
  unpack(file: string, dir: string, work: LongTask): Promise<void>;
  readonly prove: Prove;
}

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  readonly passphrase?: string | undefined;
  readonly reader: BackupUnpacker;
  readonly work: LongTask;
}

/** A backup that was checked and unpacked. The current data stays unchanged until `armRestore` is called. */
export type ReadyRestore = Awaited<ReturnType<typeof prepareRestore>>;

/**
 * Checks a backup and unpacks it beside the data folder. Any problem with the backup is found here, before anything has
 * changed. The unpacked data is removed by `dropUnpacked`, or by the next start.
 * @throws PorchlightError `not_a_backup`, `backup_broken`, `backup_newer`, `no_secrets`, `wrong_passphrase`,
 * `storage_full`, `storage_unwritable`, `storage_newer`, `cancelled`.
 */
export async function prepareRestore(options: RestoreOptions) {
  const { dataDir, file, work, reader } = options;
  if ((await readPending(dataDir)) !== undefined) await dropPending(dataDir);
  const described = await reader.describe(file, work);
  const secrets = await secretsIn(described, options);
  await mustBeMovable(dataDir);
  const staged = stagedFolder(dataDir);
  try {
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { mode: 0o700 });
    await reader.unpack(file, staged, work);
    work.progress(0, 0, 'Checking the data.');
    const proof = await reader.prove(staged, work.signal).catch((error: unknown) => {
      throw unusable(staged, error);
    });
    goOn(work);
    return {
      /** The path of the folder with the unpacked data, beside the data folder. */
      staged,
      manifest: described.about,
      proof,
      /** The backup's secrets; undefined if no passphrase was given. */
      secrets,
    };
  } catch (error) {
    await dropUnpacked(dataDir);
    throw systemWriteFailure(staged, error);
  }
}

/** Returns the error about a document of a backup that can't be used, in words about the backup. */
function unusable(staged: string, error: unknown): unknown {
  if (!(error instanceof PorchlightError) || error.code !== 'storage_broken') return error;
  const why = error.message.replaceAll(`${staged}${sep}`, '').replace(/\.$/, '');
  return Object.assign(broken(why), { cause: error });
}

/** Removes the data that `prepareRestore` unpacked. Call it only before `armRestore`. */
export async function dropUnpacked(dataDir: string): Promise<void> {
  await rm(stagedFolder(dataDir), { recursive: true, force: true });
}

/**
 * Schedules the restore: at the next start, the unpacked data replaces the current data (see pending.ts). `owner`: the
 * owner's decisions. `now` is in ms since 1970.
 */
export async function armRestore(
  dataDir: string,
  { staged, manifest: { me, madeAt }, proof }: Pick<ReadyRestore, 'staged' | 'manifest' | 'proof'>,
  owner: Pick<Pending, 'access' | 'secrets'> & { readonly accept: readonly string[]; readonly now: number },
): Promise<void> {
  const { access, accept, secrets, now } = owner;
  const kept = leftoverPath(dataDir, now);
  const { posts, files, mentions } = proof.counts;
  const counts = { posts, files, mentions };
  const about = { staged, kept, me, madeAt, counts, access, accept: [...accept], secrets };
  await writePending(dataDir, { step: 'ready', ...about });
}

/** Decrypts and returns the secrets of a backup. Returns undefined if no passphrase was given. */
async function secretsIn(
  { sealed }: DescribedBackup,
  { passphrase, work }: Pick<RestoreOptions, 'passphrase' | 'work'>,
): Promise<SealedSecrets | undefined> {
  if (passphrase === undefined) return undefined;
  if (sealed === undefined) {
    throw new PorchlightError(
      'no_secrets',
      'This backup contains no secrets and needs no passphrase. Leave the passphrase empty to restore the rest.',
    );
  }
  work.progress(0, 0, 'Decrypting the secrets.');
  return openSecrets(sealed, passphrase, work.signal);
}

/**
 * Checks that the restore can move folders between the data folder and its parent folder. Both must be on the same
 * disk, and the parent folder must be writable. Moves a test folder now, so that the restore doesn't fail at startup.
 */
async function mustBeMovable(dataDir: string): Promise<void> {
  const above = dirname(resolve(dataDir));
  const probe = join(dataDir, `${workPrefix}probe`);
  const moved = `${resolve(dataDir)}.restore-probe`;
  try {
    await mkdir(probe, { recursive: true });
    await renamePatiently(probe, moved);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw writeFailure(dataDir, cause);
    throw new PorchlightError(
      'storage_unwritable',
      `Porchlight needs to store the restored data beside the data folder, but ${code === 'EXDEV' || code === 'EBUSY' ? `“${above}” is on another disk` : `“${above}” may not be written`}. Start Porchlight with --data on a folder inside it. Nothing was changed.`,
      500,
      { cause },
    );
  } finally {
    for (const folder of [probe, moved]) await rm(folder, { recursive: true, force: true });
  }
}
