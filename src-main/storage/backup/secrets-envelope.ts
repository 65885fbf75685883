import { Decrypter, Encrypter } from 'age-encryption';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { isValid } from '../schema-check.ts';
import { broken } from './manifest.ts';

/** Secrets by their name; each one line. */
export const SecretValues = Type.Record(
  Type.String({ pattern: '^[a-z-]{1,60}$' }),
  Type.String({ pattern: '^[^\\n\\r\\0]+$', maxLength: 8192 }),
);
export type SecretValues = Static<typeof SecretValues>;

/** More than all secrets together. In bytes. */
export const longestEnvelope = 200_000;

/** A power of two. It is worked out in this thread: 18, which age takes, would hold up the server for seconds. */
const workFactor = 15;

/** The secrets as an age file (age-encryption.org/v1, scrypt), which `age -d` opens too. */
export function sealSecrets(secrets: SecretValues, passphrase: string): Promise<Uint8Array> {
  const age = new Encrypter();
  age.setPassphrase(passphrase);
  age.setScryptWorkFactor(workFactor);
  return age.encrypt(JSON.stringify(secrets));
}

/** Opens them. @throws PorchlightError `wrong_passphrase`, `backup_broken`. */
export async function openSecrets(sealed: Uint8Array, passphrase: string): Promise<SecretValues> {
  const age = new Decrypter();
  age.addPassphrase(passphrase);
  let text: string;
  try {
    text = await age.decrypt(sealed, 'text');
  } catch (cause) {
    throw new PorchlightError(
      'wrong_passphrase',
      'This passphrase does not open the secrets in the backup. Nothing was changed.',
      403,
      { cause },
    );
  }
  const secrets = parsed(text);
  if (!isValid(SecretValues, secrets)) throw broken('its secrets can’t be read');
  return secrets;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
