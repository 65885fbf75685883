import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type system from 'keytar';
import { PorchlightError } from '../contract/error.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { checkSecret, type Secrets } from './secrets.ts';

/** The keytar methods that Porchlight uses. */
export type Keytar = Pick<typeof system, 'getPassword' | 'setPassword' | 'deletePassword'>;

export interface KeychainOptions {
  /** The service name of the entries in the keychain. */
  readonly service: string;
  /** The time limit of one call, in ms; 20 s by default, enough to type the keyring's password into its prompt. */
  readonly timeoutMs?: number;
  /** How long close() waits for a running call, in ms; 2 s by default. */
  readonly closeMs?: number;
  /** Loads keytar, a native module that needs libsecret on Linux. */
  readonly load?: () => Promise<Keytar>;
}

/** The number of running keytar calls in this process, across all keychains. */
let underWay = 0;

/** Returns whether a keytar call is running. Its thread may be blocked forever. */
export const isKeychainBusy = () => underWay > 0;

async function counted<T>(task: () => Promise<T>): Promise<T> {
  underWay += 1;
  try {
    return await task();
  } finally {
    underWay -= 1;
  }
}

const messages = {
  missing:
    'Porchlight couldn’t load this computer’s keychain. On Linux, install libsecret (the package libsecret-1-0).',
  denied: 'Porchlight can’t open this computer’s keychain. It may be locked, or this session has none.',
  silent: 'This computer’s keychain isn’t responding. It may be locked: unlock it, then try again.',
  closed: 'Porchlight is closing and doesn’t use the keychain any longer.',
  forgetful: 'This computer’s keychain doesn’t keep what Porchlight stores in it.',
};

/**
 * Opens the operating system's keychain, and tests it by writing, reading and deleting an entry.
 * @throws PorchlightError keychain_unavailable (503), with a reason in plain words, if the test fails. Later calls
 * throw the same error if the keychain is locked or no longer available.
 */
export async function openKeychain(options: KeychainOptions): Promise<Secrets> {
  const { load = async () => (await import('keytar')).default } = options;
  const keytar: Keytar = await load().catch(unavailable(messages.missing));
  // A locked keyring may block a call's thread until the user responds to a prompt. Calls run one at a time, so that
  // only one thread is blocked. Several blocked calls would use up the thread pool, which file access also needs.
  const inTurn = oneAtATime();
  const waits = new Set<AbortController>();
  let isClosed = false;
  const call = async <T>(task: () => Promise<T>): Promise<T> => {
    const work = inTurn(() => (isClosed ? Promise.reject(new Error('closed')) : counted(task)));
    const wait = new AbortController();
    waits.add(wait);
    try {
      return await withinLimit(
        work.catch((cause: unknown) => unavailable(isClosed ? messages.closed : messages.denied)(cause)),
        options.timeoutMs ?? 20_000,
        wait,
      );
    } finally {
      waits.delete(wait);
    }
  };
  const { service } = options;

  const keychain: Secrets = {
    kind: 'keychain',
    get: (name) => call(() => keytar.getPassword(service, name)),
    async set(name, value) {
      checkSecret(name, value);
      await call(() => keytar.setPassword(service, name, value));
    },
    async delete(name) {
      await call(() => keytar.deletePassword(service, name));
    },
    // Wait for a running call, because keytar aborts the process if Node.js exits during a keytar call. Then reject the
    // calls that are left: whoever waits for them must not delay the shutdown.
    async close() {
      isClosed = true;
      const idle = inTurn(() => Promise.resolve());
      await withinLimit(idle, options.closeMs ?? 2000).catch(() => undefined);
      for (const wait of waits) wait.abort();
    },
  };
  await probe(keychain);
  return keychain;
}

async function probe(keychain: Secrets): Promise<void> {
  const name = `probe-${randomBytes(8).toString('hex')}`;
  const value = randomBytes(16).toString('hex');
  await keychain.set(name, value);
  const kept = await keychain.get(name);
  await keychain.delete(name);
  if (kept !== value) unavailable(messages.forgetful)(undefined);
}

/** Waits for `work`, at most `timeoutMs`. Aborting `wait` ends the wait earlier. */
async function withinLimit<T>(work: Promise<T>, timeoutMs: number, wait = new AbortController()): Promise<T> {
  const timeUp = pause(timeoutMs, undefined, { signal: wait.signal }).then(
    unavailable(messages.silent),
    unavailable(messages.closed),
  );
  timeUp.catch(() => undefined); // If the work ends first, no caller awaits this promise.
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    wait.abort();
  }
}

function unavailable(message: string): (cause: unknown) => never {
  return (cause) => {
    throw new PorchlightError('keychain_unavailable', message, 503, { cause });
  };
}
