import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { errorCode, writeFailure } from '../storage-error.ts';
import type { Proof, Prove } from './backup.ts';
import { workPrefix } from './kept-paths.ts';
import { secretsName, type Manifest } from './manifest.ts';
import { dropPending, readPending, stagedFolder, writePending } from './pending.ts';
import { longestEnvelope, openSecrets, type SecretValues } from './secrets-envelope.ts';
import { checkedManifest, unpack } from './unpack.ts';
import { goOn, type Work } from './work.ts';
import { readingZip, type ZipReader } from './zip-reader.ts';

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  readonly passphrase?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly prove: Prove;
  /** Puts the secrets where they wait for the next start. Answers true where they are another computer's. */
  readonly keepSecrets: (values: SecretValues) => Promise<boolean>;
  /** Takes from the unpacked data in `dir` what counts only along with its secrets. Answers words about it. */
  readonly withoutSecrets: (dir: string) => Promise<readonly string[]>;
  readonly work: Work;
}

export interface ReadyRestore {
  readonly manifest: Manifest;
  readonly proof: Proof;
  /** True where secrets come with it. */
  readonly secrets: boolean;
}

/**
 * Checks a backup and unpacks it beside the data folder, where it waits for the next start (see pending.ts). Whatever
 * is wrong with it is found here: then nothing has changed.
 * @throws PorchlightError `not_a_backup`, `backup_broken`, `backup_newer`, `wrong_passphrase`,
 * `storage_full`, `storage_unwritable`, `storage_newer`, `cancelled`.
 */
export async function prepareRestore(options: RestoreOptions): Promise<ReadyRestore> {
  const { dataDir, work, prove, now } = options;
  if ((await readPending(dataDir)) !== undefined) await dropPending(dataDir);
  return readingZip(options.file, async (zip) => {
    const manifest = await checkedManifest(zip);
    const secrets = await secretsIn(zip, manifest, options);
    await mustBeMovable(dataDir);
    const staged = stagedFolder(dataDir);
    try {
      await rm(staged, { recursive: true, force: true });
      await mkdir(staged, { mode: 0o700 });
      await unpack(zip, manifest, { dir: staged, sync: true, work });
      work.progress(0, 0, 'Looking whether everything is in order.');
      const found = await prove(staged, work.signal);
      goOn(work);
      const words = secrets === undefined ? await options.withoutSecrets(staged) : [];
      const proof = { ...found, problems: [...found.problems, ...words] };
      // Without the keys that belong to it, a list of signed-in apps would only undo what the owner ended since.
      const fromElsewhere = secrets !== undefined && (await options.keepSecrets(secrets));
      const moment = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
      goOn(work);
      await writePending(dataDir, {
        step: 'ready',
        staged,
        kept: `${resolve(dataDir)}.before-restore-${moment}`,
        me: manifest.me,
        madeAt: manifest.madeAt,
        access: fromElsewhere ? 'backup' : 'here',
        secrets: Object.keys(secrets ?? {}),
      });
      return { manifest, proof, secrets: secrets !== undefined };
    } catch (error) {
      await rm(staged, { recursive: true, force: true });
      throw error instanceof PorchlightError || errorCode(error) === undefined
        ? error
        : writeFailure(staged, error);
    }
  });
}

/** The secrets, where a passphrase was given. Without one they stay in the backup. */
async function secretsIn(
  zip: ZipReader,
  manifest: Manifest,
  { passphrase, work }: Pick<RestoreOptions, 'passphrase' | 'work'>,
): Promise<SecretValues | undefined> {
  const entry = zip.entries.get(secretsName);
  if (passphrase === undefined) return undefined;
  if (!manifest.secrets || entry === undefined) {
    throw new PorchlightError(
      'no_secrets',
      'This backup holds no secrets, so it needs no passphrase. Leave it empty to restore the rest.',
    );
  }
  work.progress(0, 0, 'Opening the secrets.');
  return openSecrets(await zip.bytes(entry, longestEnvelope), passphrase, work.signal);
}

/**
 * Data changes places by renaming, so both places must be on one disk and the folder above must allow it: tried out, for
 * a start that can't go on is worse than a restore that does not begin.
 */
async function mustBeMovable(dataDir: string): Promise<void> {
  const above = dirname(resolve(dataDir));
  const probe = join(dataDir, `${workPrefix}probe`);
  const moved = `${resolve(dataDir)}.restore-probe`;
  try {
    await mkdir(probe, { recursive: true });
    await rename(probe, moved);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw writeFailure(dataDir, cause);
    throw new PorchlightError(
      'storage_unwritable',
      `The restored data has to wait beside the data folder, but ${code === 'EXDEV' || code === 'EBUSY' ? `“${above}” is on another disk` : `“${above}” may not be written`}. Start Porchlight with --data on a folder inside it. Nothing was changed.`,
      500,
      { cause },
    );
  } finally {
    for (const folder of [probe, moved]) await rm(folder, { recursive: true, force: true });
  }
}
