import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { RowSecrets } from '../../storage/records/closed-records.ts';
import { isValid } from '../../storage/schema-check.ts';
import { broken } from '../../storage/manifest.ts';
import { isRecord, jsonExcess, jsonIn } from '../../storage/json-value.ts';
import { Worker } from 'node:worker_threads';
import type { AgeAnswer, AgeJob } from './age-worker.ts';
import { goOn } from '../../storage/pacing.ts';

/** Secrets by name. Each value is one line. */
export const SecretValues = Type.Record(
  Type.String({ pattern: '^[a-z-]{1,60}$' }),
  Type.String({ pattern: '^[^\\n\\r\\0]+$', maxLength: 8192 }),
);
export type SecretValues = Static<typeof SecretValues>;

/** What is encrypted in a backup. */
export interface SealedSecrets {
  readonly values: SecretValues;
  readonly rows: RowSecrets;
}

/** The name under which the encrypted part has the secrets in rows. */
const rowsName = 'rows';

/**
 * The maximum accepted size of the encrypted secrets, in bytes. It is larger than all of Porchlight's secrets together.
 */
export const longestEnvelope = 8_000_000;

/** The nesting depth of the secrets, and how many values they may have: each subscription to a feed may have one. */
const mostSealed = { depth: 3, values: 100_000 };

/** The scrypt work factor, as a power of two. This is the default of the age tool. */
const usualWorkFactor = 18;

/**
 * Encrypts secrets to an age file (age-encryption.org/v1, scrypt). The command `age -d` can decrypt the file too.
 * `workFactor`: the cost of one guess at the passphrase, as a power of two. Lower values are for tests only.
 * @throws PorchlightError as inAgeThread does.
 */
export async function sealSecrets(
  { values, rows }: SealedSecrets,
  passphrase: string,
  { signal, workFactor = usualWorkFactor }: { signal: AbortSignal; workFactor?: number | undefined },
): Promise<Uint8Array> {
  const job = {
    kind: 'seal',
    text: JSON.stringify({ ...values, [rowsName]: rows }),
    passphrase,
    workFactor,
  } as const;
  const answer = await inAgeThread(job, signal);
  if (answer.kind !== 'sealed') throw new TypeError('Sealing answers what was sealed.');
  return answer.sealed;
}

/**
 * Decrypts secrets.
 * @throws PorchlightError `wrong_passphrase`, `backup_broken`, and as inAgeThread does.
 */
export async function openSecrets(
  sealed: Uint8Array,
  passphrase: string,
  signal: AbortSignal,
): Promise<SealedSecrets> {
  const answer = await inAgeThread({ kind: 'open', sealed, passphrase }, signal);
  if (answer.kind === 'failed' && answer.why === 'passphrase') {
    throw new PorchlightError(
      'wrong_passphrase',
      'This passphrase doesn’t open the secrets in the backup. Nothing was changed.',
      403,
    );
  }
  const isReadable = answer.kind === 'opened' && jsonExcess(answer.text, mostSealed) === undefined;
  const secrets = isReadable ? jsonIn(answer.text) : undefined;
  const { [rowsName]: rows = {}, ...values } = isRecord(secrets) ? secrets : {};
  if (!isRecord(secrets) || !isValid(SecretValues, values) || !isValid(RowSecrets, rows))
    throw broken('its secrets can’t be read');
  return { values, rows };
}

// The file `age-worker` contains the thread's code. Its extension is `.ts` in the sources and `.js` in the build (see
// vite.main.config.ts).
const file = `./age-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/**
 * Encrypts or decrypts with a passphrase in a separate thread, because deriving the key takes seconds and the server
 * must keep responding.
 * @throws PorchlightError `cancelled` once `signal` aborts, `secrets_unavailable` (503) if the thread fails.
 */
async function inAgeThread(job: AgeJob, signal: AbortSignal): Promise<AgeAnswer> {
  goOn({ signal });
  // The thread doesn't need environment variables, so it gets none.
  const worker = new Worker(new URL(file, import.meta.url), {
    name: 'age',
    workerData: job,
    env: {},
    execArgv: [],
  });
  const end = () => void worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await new Promise<AgeAnswer>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (cause) => reject(failed(cause)));
      worker.once('exit', () => reject(failed()));
    });
  } catch (error) {
    goOn({ signal });
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

function failed(cause?: unknown): PorchlightError {
  return new PorchlightError(
    'secrets_unavailable',
    'Porchlight couldn’t process the secrets. There may be too little memory: close other programs and try again.',
    503,
    { cause },
  );
}
