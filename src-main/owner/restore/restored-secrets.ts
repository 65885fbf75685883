import { importJWK } from 'jose';
import type { RestoreChange } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Log } from '../../platform/log.ts';
import { checkSecret } from '../../platform/secrets.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SecretValues } from '../../storage/backup/secrets-envelope.ts';
import {
  aggregatorTokenName,
  managementTokenName,
  secretNames,
  signingKeyName,
  tunnelTokenName,
} from '../secret-names.ts';

const waitingName = (name: string) => `restored-${name}`;

/** Returns all stored secrets, for a backup with a passphrase. */
export async function readSecrets(secrets: Secrets): Promise<SecretValues> {
  const found = await Promise.all(secretNames.map(async (name) => [name, await secrets.get(name)] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}

/** The stored names of secrets, by the names that the window uses. */
const nameOfSetting: Readonly<Record<string, string>> = {
  'secrets.signingKey': signingKeyName,
  'secrets.managementToken': managementTokenName,
  'secrets.aggregatorToken': aggregatorTokenName,
  'secrets.tunnelToken': tunnelTokenName,
};

/**
 * Compares a backup's secrets with this computer's, and returns those that differ or that this computer lacks. Returns
 * no values: `here` says whether this computer has such a secret. `isForeign`: the backup's signing key is another
 * computer's. If it isn't, leaves out the management token, which may have been replaced after somebody learned it.
 * @throws PorchlightError `backup_broken` if Porchlight could not have saved such secrets.
 */
export async function secretChanges(secrets: Pick<Secrets, 'get'>, values: SecretValues) {
  for (const [name, value] of Object.entries(values)) {
    if (!secretNames.includes(name)) throw odd();
    checkSecret(name, value);
  }
  const key = values[signingKeyName];
  // Porchlight could not start with a signing key that can't be read.
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

/** Stores a backup's accepted secrets beside those in use, until the next start. Returns their names. */
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

/** Puts the secrets that wait for a restore into use, at the first start after the restore. Idempotent. */
export async function takeRestored(secrets: Secrets, waiting: readonly string[]): Promise<void> {
  for (const name of waiting.filter((one) => secretNames.includes(one))) {
    const value = await secrets.get(waitingName(name));
    if (value !== null) await secrets.set(name, value);
    await secrets.delete(waitingName(name));
  }
}

/** Deletes the secrets that wait for a restore, because the restore was discarded. */
export async function forgetRestored(secrets: Secrets): Promise<void> {
  for (const name of secretNames) await secrets.delete(waitingName(name));
}

/** Deletes the secrets that wait for a restore. A failure is only logged, so that it doesn't hide another error. */
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
