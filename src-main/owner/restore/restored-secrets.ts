import { importJWK } from 'jose';
import type { RestoreChange } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Log } from '../../platform/log.ts';
import { checkSecret } from '../../platform/secret.ts';
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

/** All secrets there are, for a backup under a passphrase. */
export async function readSecrets(secrets: Secrets): Promise<SecretValues> {
  const found = await Promise.all(secretNames.map(async (name) => [name, await secrets.get(name)] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}

/** The names that the window knows secrets by, and those under which they are kept. */
const nameOfSetting: Readonly<Record<string, string>> = {
  'secrets.signingKey': signingKeyName,
  'secrets.managementToken': managementTokenName,
  'secrets.aggregatorToken': aggregatorTokenName,
  'secrets.tunnelToken': tunnelTokenName,
};

/** What secrets from a backup would change. */
export interface SecretChanges {
  readonly changes: readonly RestoreChange[];
  /** True where they are another computer's: its signing key is another one. */
  readonly isForeign: boolean;
}

/**
 * Lists which secrets of a backup are other ones than those in use, or are not in use here. Values are not shown: `here`
 * says whether there is one. Of this computer's own the management token is not offered: an older one may have been
 * replaced because somebody else knew it.
 * @throws PorchlightError `backup_broken` where they are none that Porchlight would have put there.
 */
export async function secretChanges(
  secrets: Pick<Secrets, 'get'>,
  values: SecretValues,
): Promise<SecretChanges> {
  for (const [name, value] of Object.entries(values)) {
    if (!secretNames.includes(name)) throw odd();
    checkSecret(name, value);
  }
  const key = values[signingKeyName];
  // A key that can't be read would keep the next start from succeeding.
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
 * Puts the accepted secrets of a backup beside those in use, where they wait for the next start: on no disk in the open.
 * Answers their names.
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

/** At the start after a restore: what waits takes its place. Done twice, it is done once. */
export async function takeRestored(secrets: Secrets, waiting: readonly string[]): Promise<void> {
  for (const name of waiting.filter((one) => secretNames.includes(one))) {
    const value = await secrets.get(waitingName(name));
    if (value !== null) await secrets.set(name, value);
    await secrets.delete(waitingName(name));
  }
}

/** Forgets what waits: the restore was discarded. */
export async function forgetRestored(secrets: Secrets): Promise<void> {
  for (const name of secretNames) await secrets.delete(waitingName(name));
}

/** Forgets what waits. A keychain that is closed hides nothing else that went wrong. */
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
