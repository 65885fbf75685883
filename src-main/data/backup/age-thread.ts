import { Worker } from 'node:worker_threads';
import { PorchlightError } from '../../contract/error.ts';
import type { AgeAnswer, AgeJob } from './age-worker.ts';
import { goOn } from '../../storage/pacing.ts';

// The file `age-worker` contains the thread's code. Its extension is `.ts` in the sources and `.js` in the build (see
// vite.main.config.ts).
const file = `./age-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/**
 * Encrypts or decrypts with a passphrase in a separate thread, because deriving the key takes seconds and the server
 * must keep responding.
 * @throws PorchlightError `cancelled` once `signal` aborts, `secrets_unavailable` (503) if the thread fails.
 */
export async function inAgeThread(job: AgeJob, signal: AbortSignal): Promise<AgeAnswer> {
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
