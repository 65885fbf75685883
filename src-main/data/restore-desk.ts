import type { Common } from '../http/common.ts';
import { importJWK } from 'jose';
import type { CheckedBackup, RestoreChange } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Log } from '../platform/log.ts';
import {
  aggregatorTokenName,
  checkSecret,
  mailboxKeysName,
  managementTokenName,
  ntfyName,
  phonePushName,
  secretNames,
  type Secrets,
  signingKeyName,
  tunnelTokenName,
} from '../platform/secrets.ts';
import { goOn, type LongTask } from '../storage/pacing.ts';
import type { RowSecrets } from '../storage/records/closed-records.ts';
import {
  armRestore,
  type BackupUnpacker,
  dropUnpacked,
  prepareRestore,
  type ReadyRestore,
} from './backup/restore.ts';
import type { SecretValues } from './backup/secrets-envelope.ts';

/** What is compared before a restore. `there`: the path of the unpacked backup. `here`: the data folder. */
export interface Comparing {
  readonly there: string;
  readonly here: string;
  readonly settings: Settings;
  /** The secrets in the backup's rows, which are put into them before. */
  readonly rows: RowSecrets;
}

export interface BackupReader extends BackupUnpacker {
  /**
   * Returns the settings and choices that a restore would change, the names of the apps that are signed in, and how many
   * rows were left out because their secrets are missing.
   */
  compare(
    comparing: Comparing,
    work: LongTask,
  ): Promise<{
    readonly left: number;
    readonly changes: RestoreChange[];
    readonly apps: Readonly<Record<'here' | 'there', string[]>>;
  }>;
}

interface RestoreDeskDeps extends Pick<Common, 'dataDir' | 'log' | 'secrets'> {
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  readonly settings: () => Settings;
  readonly reader: BackupReader;
}

export type RestoreDesk = ReturnType<typeof createRestoreDesk>;

const signedInApps = 'apps.signedIn';

/**
 * Creates the store that keeps the last checked backup until the owner restores or discards the backup. The backup's
 * secrets are kept only in memory.
 */
export function createRestoreDesk(deps: RestoreDeskDeps) {
  const { dataDir, now, log, secrets, settings, reader } = deps;
  let found: { readonly ready: ReadyRestore; readonly checked: CheckedBackup } | undefined;
  // The latest call of `arm`. `discard` waits for this call to finish. Otherwise, `discard` could delete the data of a
  // restore that `arm` is scheduling.
  let arming: Promise<unknown> = Promise.resolve();

  /** Returns the changes that the backup's secrets would make. */
  async function changesOfSecrets(
    ready: ReadyRestore,
    { here, there }: Readonly<Record<'here' | 'there', string[]>>,
  ): Promise<RestoreChange[]> {
    if (ready.secrets === undefined) return [];
    const { changes, isForeign } = await secretChanges(secrets, ready.secrets.values);
    // If the backup comes from this computer, apps that were signed out after the backup was made have to stay signed
    // out.
    if (isForeign && here.length + there.length > 0) changes.push({ setting: signedInApps, here, there });
    return changes;
  }

  async function put(
    { ready, checked }: NonNullable<typeof found>,
    accept: readonly string[],
  ): Promise<void> {
    const listed = new Set(checked.changes.map(({ setting }) => setting));
    const unknown = accept.find((setting) => !listed.has(setting));
    if (unknown !== undefined)
      throw new PorchlightError(
        'invalid_request',
        `“${unknown}” is not a change that this restore would make.`,
      );
    try {
      const names = await keepForLater(secrets, ready.secrets?.values ?? {}, new Set(accept));
      await armRestore(dataDir, ready, {
        accept,
        secrets: names,
        now: now(),
        access: accept.includes(signedInApps) ? 'backup' : 'here',
      });
    } catch (error) {
      await forgetQuietly(secrets, log);
      throw error;
    }
    found = undefined;
  }

  /** Forgets the checked backup and deletes its unpacked files. */
  async function discard(): Promise<void> {
    await arming.catch(() => undefined);
    if (found === undefined) return;
    found = undefined;
    await dropUnpacked(dataDir);
  }

  return {
    get checked(): CheckedBackup | null {
      return found?.checked ?? null;
    },

    /**
     * Checks a backup, unpacks it and compares it with this computer's data. Restores nothing.
     * @throws the same errors as `prepareRestore`.
     */
    async check(file: string, passphrase: string | undefined, work: LongTask): Promise<CheckedBackup> {
      await discard();
      const ready = await prepareRestore({ dataDir, file, passphrase, reader, work });
      try {
        const { manifest, proof } = ready;
        const { left, changes, apps } = await reader.compare(
          {
            there: ready.staged,
            here: dataDir,
            settings: settings(),
            rows: ready.secrets?.rows ?? {},
          },
          work,
        );
        const checked: CheckedBackup = {
          me: manifest.me,
          madeAt: manifest.madeAt,
          counts: { ...proof.counts, bytes: manifest.bytes },
          secrets: ready.secrets !== undefined,
          problems: [...proof.problems, ...leftOut(left)],
          changes: [...changes, ...(await changesOfSecrets(ready, apps))],
        };
        goOn(work);
        found = { ready, checked };
        return checked;
      } catch (error) {
        await dropUnpacked(dataDir);
        throw error;
      }
    },

    /**
     * Schedules the checked backup to be restored at the next start, with the changes that `accept` names.
     * @throws PorchlightError `nothing_checked` (409), `invalid_request` for a change that was not listed.
     */
    async arm(accept: readonly string[]): Promise<void> {
      if (found === undefined)
        throw new PorchlightError('nothing_checked', 'No backup is ready to restore. Check one first.', 409);
      arming = put(found, accept);
      await arming;
    },

    discard,
  };
}

/** Returns the problem with subscriptions whose secrets are missing. */
const leftOut = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${count === 1 ? 'One subscription to your feeds is' : `${count} subscriptions to your feeds are`} left out, because a backup has their secrets only in its encrypted part. These readers have to subscribe again.`,
      ];

const waitingName = (name: string) => `restored-${name}`;

/** Returns all stored secrets, for a backup with a passphrase. */
export async function readSecrets(secrets: Secrets): Promise<SecretValues> {
  const found = await Promise.all(secretNames.map(async (name) => [name, await secrets.get(name)] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}

/** Maps each secret's name in the window to the name under which the secret is stored. */
const nameOfSetting: Readonly<Record<string, string>> = {
  'secrets.signingKey': signingKeyName,
  'secrets.managementToken': managementTokenName,
  'secrets.aggregatorToken': aggregatorTokenName,
  'secrets.tunnelToken': tunnelTokenName,
  'secrets.mailboxKeys': mailboxKeysName,
  'secrets.phonePush': phonePushName,
  'secrets.ntfy': ntfyName,
};

/**
 * Compares a backup's secrets with this computer's secrets. Returns a change, without the secret itself, for each
 * secret that differs or that this computer lacks. In a change, `here` tells whether this computer has a secret of that
 * name. `isForeign`: whether the backup has another computer's signing key. If it doesn't, the management token is left
 * out, because the owner may have replaced that token after a leak.
 * @throws PorchlightError `backup_broken` if the backup contains a secret that Porchlight would not have saved
 */
async function secretChanges(secrets: Pick<Secrets, 'get'>, values: SecretValues) {
  for (const [name, value] of Object.entries(values)) {
    if (!secretNames.includes(name)) throw odd();
    checkSecret(name, value);
  }
  const key = values[signingKeyName];
  // Refuses an unreadable signing key, because Porchlight could not start with it.
  if (key !== undefined && !(await isKey(key))) throw odd();
  const isForeign = key !== undefined && key !== (await secrets.get(signingKeyName));
  const changes: RestoreChange[] = [];
  for (const [setting, name] of Object.entries(nameOfSetting)) {
    const there = values[name];
    if (there === undefined || (name === managementTokenName && !isForeign)) continue;
    const here = await secrets.get(name);
    if (here !== there) changes.push({ setting, here: here !== null, there: true });
  }
  return { changes, isForeign };
}

/**
 * Stores the accepted secrets of a backup until the next start, when they replace the secrets in use. Returns the names
 * of the stored secrets.
 */
export async function keepForLater(
  secrets: Secrets,
  values: SecretValues,
  accept: ReadonlySet<string>,
): Promise<string[]> {
  const names: string[] = [];
  for (const [setting, name] of Object.entries(nameOfSetting)) {
    const value = values[name];
    if (value === undefined || !accept.has(setting)) continue;
    await secrets.set(waitingName(name), value);
    names.push(name);
  }
  return names;
}

/**
 * Replaces the secrets in use with the restored secrets at the first start after a restore. Idempotent.
 * `mailboxKeys`: returns the mailbox keys to store, from those of the backup and those of this computer.
 */
export async function takeRestored(
  secrets: Secrets,
  waiting: readonly string[],
  mailboxKeys: (restored: string, current: string | null) => string,
): Promise<void> {
  for (const name of waiting.filter((one) => secretNames.includes(one))) {
    const value = await secrets.get(waitingName(name));
    if (value !== null)
      await secrets.set(name, name === mailboxKeysName ? mailboxKeys(value, await secrets.get(name)) : value);
    await secrets.delete(waitingName(name));
  }
}

/** Deletes the secrets that were stored for a restore. Called when the restore is discarded. */
export async function forgetRestored(secrets: Secrets): Promise<void> {
  for (const name of secretNames) await secrets.delete(waitingName(name));
}

/** Deletes the secrets stored for a restore. Only logs a failure, so that it doesn't hide another error. */
export async function forgetQuietly(secrets: Secrets, log: Log): Promise<void> {
  await forgetRestored(secrets).catch((error: unknown) =>
    log.warn({ err: error }, 'secrets of a restore that was discarded are still kept'),
  );
}

const odd = () =>
  new PorchlightError(
    'backup_broken',
    'The secrets in this backup are not Porchlight’s. Nothing was changed.',
  );

async function isKey(text: string): Promise<boolean> {
  try {
    await importJWK(JSON.parse(text) as object, 'EdDSA');
    return true;
  } catch {
    return false;
  }
}
