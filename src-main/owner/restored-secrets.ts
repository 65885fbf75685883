import { importJWK } from 'jose';
import { PorchlightError } from '../contract/error.ts';
import { checkSecret } from '../platform/secret.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { SecretValues } from '../storage/backup/secrets-envelope.ts';
import { tunnelTokenName } from './tunnel.ts';
import { aggregatorTokenName } from './webmentions.ts';

/** The names of all that a backup under a passphrase holds. */
const names = ['signing-key', 'management-token', aggregatorTokenName, tunnelTokenName];
const waitingName = (name: string) => `restored-${name}`;

/** All secrets there are. */
export async function readSecrets(secrets: Secrets): Promise<SecretValues> {
  const found = await Promise.all(names.map(async (name) => [name, await secrets.get(name)] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}

/**
 * Puts secrets from a backup beside those in use, where they wait for the next start: on no disk in the open.
 * @throws PorchlightError `backup_broken` where they are none that Porchlight would have put there.
 */
export async function keepForLater(secrets: Secrets, values: SecretValues): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name)) throw odd();
    checkSecret(name, value);
  }
  const key = values['signing-key'];
  // A key that can't be read would keep the next start from succeeding.
  if (key !== undefined && !(await isKey(key))) throw odd();
  for (const [name, value] of Object.entries(values)) await secrets.set(waitingName(name), value);
}

/** At the start after a restore: what waits takes its place. Done twice, it is done once. */
export async function takeRestored(secrets: Secrets, waiting: readonly string[]): Promise<void> {
  for (const name of waiting.filter((one) => names.includes(one))) {
    const value = await secrets.get(waitingName(name));
    if (value !== null) await secrets.set(name, value);
    await secrets.delete(waitingName(name));
  }
}

/** Forgets what waits: the restore was given up. */
export async function forgetRestored(secrets: Secrets): Promise<void> {
  for (const name of names) await secrets.delete(waitingName(name));
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
