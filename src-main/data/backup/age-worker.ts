import { parentPort, workerData } from 'node:worker_threads';
import { Decrypter, Encrypter } from 'age-encryption';

/** A job for the encryption thread: encrypting or decrypting with a passphrase. */
export type AgeJob =
  | { readonly kind: 'seal'; readonly text: string; readonly passphrase: string; readonly workFactor: number }
  | { readonly kind: 'open'; readonly sealed: Uint8Array; readonly passphrase: string };

export type AgeAnswer =
  | { readonly kind: 'sealed'; readonly sealed: Uint8Array }
  | { readonly kind: 'opened'; readonly text: string }
  /** `passphrase`: the passphrase is wrong for this file. `damaged`: no passphrase can open the file. */
  | { readonly kind: 'failed'; readonly why: 'passphrase' | 'damaged' };

/**
 * The message with which the age library reports a wrong passphrase. All other errors of the library mean that the file
 * is damaged.
 */
const noMatch = /^no identity matched/;

/**
 * Encrypts or decrypts an age file (age-encryption.org/v1, scrypt). With the usual work factor, this takes seconds and
 * 256 MB of memory. The age library refuses to open a file with a work factor above 20, because that would take hours.
 */
async function done(job: AgeJob): Promise<AgeAnswer> {
  if (job.kind === 'seal') {
    const age = new Encrypter();
    age.setPassphrase(job.passphrase);
    age.setScryptWorkFactor(job.workFactor);
    return { kind: 'sealed', sealed: await age.encrypt(job.text) };
  }
  const age = new Decrypter();
  age.addPassphrase(job.passphrase);
  try {
    return { kind: 'opened', text: await age.decrypt(job.sealed, 'text') };
  } catch (error) {
    const isWrong = error instanceof Error && noMatch.test(error.message);
    return { kind: 'failed', why: isWrong ? 'passphrase' : 'damaged' };
  }
}

// The thread runs one job, then ends.
parentPort?.postMessage(await done(workerData as AgeJob));
