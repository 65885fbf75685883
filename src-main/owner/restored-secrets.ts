import { importJWK } from 'jose';
import { PorchlightError } from '../contract/error.ts';
import { checkSecret } from '../platform/secret.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { SecretValues } from '../storage/backup/secrets-envelope.ts';
import { managementTokenName, secretNames, signingKeyName } from './secret-names.ts';

const waitingName = (name: string) => `restored-${name}`;

/** All secrets there are, for a backup under a passphrase. */
export async function readSecrets(secrets: Secrets): Promise<SecretValues> {
  const found = await Promise.all(secretNames.map(async (name) => [name, await secrets.get(name)] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}

/**
 * Puts secrets from a backup beside those in use, where they wait for the next start: on no disk in the open.
 * Answers true where they are another computer's: its key is another one. Of this computer's own the management token
 * stays: an older one may have been renewed because somebody else knew it.
 * @throws PorchlightError `backup_broken` where they are none that Porchlight would have put there.
 */
export async function keepForLater(secrets: Secrets, values: SecretValues): Promise<boolean> {
  for (const [name, value] of Object.entries(values)) {
    if (!secretNames.includes(name)) throw odd();
    checkSecret(name, value);
  }
  const key = values[signingKeyName];
  // A key that can't be read would keep the next start from succeeding.
  if (key !== undefined && !(await isKey(key))) throw odd();
  const isForeign = key !== undefined && key !== (await secrets.get(signingKeyName));
  for (const [name, value] of Object.entries(values))
    if (isForeign || name !== managementTokenName) await secrets.set(waitingName(name), value);
  return isForeign;
}

/** At the start after a restore: what waits takes its place. Done twice, it is done once. */
export async function takeRestored(secrets: Secrets, waiting: readonly string[]): Promise<void> {
  for (const name of waiting.filter((one) => secretNames.includes(one))) {
    const value = await secrets.get(waitingName(name));
    if (value !== null) await secrets.set(name, value);
    await secrets.delete(waitingName(name));
  }
}

/** Forgets what waits: the restore was given up. */
export async function forgetRestored(secrets: Secrets): Promise<void> {
  for (const name of secretNames) await secrets.delete(waitingName(name));
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
