import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { isValid } from '../schema-check.ts';
import { inAgeThread } from './age-thread.ts';
import { broken } from './manifest.ts';

/** Secrets by their name; each one line. */
export const SecretValues = Type.Record(
  Type.String({ pattern: '^[a-z-]{1,60}$' }),
  Type.String({ pattern: '^[^\\n\\r\\0]+$', maxLength: 8192 }),
);
export type SecretValues = Static<typeof SecretValues>;

/** More than all secrets together. In bytes. */
export const longestEnvelope = 200_000;

/** A power of two; the one that age itself takes. */
const usualWorkFactor = 18;

interface SealOptions {
  readonly signal: AbortSignal;
  /** How hard it is to try passphrases, as a power of two. Lower for tests only. */
  readonly workFactor?: number | undefined;
}

/** The secrets as an age file (age-encryption.org/v1, scrypt), which `age -d` opens too. @throws as inAgeThread. */
export async function sealSecrets(
  secrets: SecretValues,
  passphrase: string,
  { signal, workFactor = usualWorkFactor }: SealOptions,
): Promise<Uint8Array> {
  const job = { kind: 'seal', text: JSON.stringify(secrets), passphrase, workFactor } as const;
  const answer = await inAgeThread(job, signal);
  if (answer.kind !== 'sealed') throw new TypeError('Sealing answers what was sealed.');
  return answer.sealed;
}

/** Opens them. @throws PorchlightError `wrong_passphrase`, `backup_broken`; and as inAgeThread. */
export async function openSecrets(
  sealed: Uint8Array,
  passphrase: string,
  signal: AbortSignal,
): Promise<SecretValues> {
  const answer = await inAgeThread({ kind: 'open', sealed, passphrase }, signal);
  if (answer.kind === 'failed' && answer.why === 'passphrase') {
    throw new PorchlightError(
      'wrong_passphrase',
      'This passphrase doesn’t open the secrets in the backup. Nothing was changed.',
      403,
    );
  }
  const secrets = answer.kind === 'opened' ? parsed(answer.text) : undefined;
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
