import { importJWK } from 'jose';
import type { RestoreChange } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Log } from '../../platform/log.ts';
import { checkSecret } from '../../platform/secrets.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SecretValues } from '../backup/secrets-envelope.ts';
import {
  aggregatorTokenName,
  mailboxKeysName,
  managementTokenName,
  secretNames,
  signingKeyName,
  tunnelTokenName,
} from '../../platform/secret-names.ts';

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
};

/**
 * Compares a backup's secrets with this computer's secrets. Returns a change, without the secret itself, for each
 * secret that differs or that this computer lacks. In a change, `here` tells whether this computer has a secret of that
 * name. `isForeign`: whether the backup has another computer's signing key. If it doesn't, the management token is left
 * out, because the owner may have replaced that token after a leak.
 * @throws PorchlightError `backup_broken` if the backup contains a secret that Porchlight would not have saved
 */
export async function secretChanges(secrets: Pick<Secrets, 'get'>, values: SecretValues) {
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
