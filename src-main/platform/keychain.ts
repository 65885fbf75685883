import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { checkSecret } from './secret.ts';
import type { Secrets } from './secret.ts';

/** The part of keytar that is used here. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

export interface KeychainOptions {
  /** The name under which the entries stand in the keychain. */
  readonly service: string;
  /** Milliseconds for one call; 20 s by default, time enough to type the keyring's password into its prompt. */
  readonly timeoutMs?: number;
  /** Milliseconds that close() waits for a running call; 2 s by default. */
  readonly closeMs?: number;
  /** Loads keytar: a native module that needs libsecret on Linux. */
  readonly load?: () => Promise<Keytar>;
}

/** Calls of keytar that are under way in this process, whichever keychain made them. */
let underWay = 0;

/**
 * Ends the process by `exit`, with its code. Call it last, when everything is on disk: while a call to the keychain
 * hangs, Node.js waits for its thread and never ends, so the process kills itself instead (no code, but SIGKILL).
 */
export function leave(code: number, exit: (code: number) => void): void {
  if (underWay > 0) process.kill(process.pid, 'SIGKILL');
  else exit(code);
}

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
 * Opens the keychain of the operating system, after writing, reading and deleting a throw-away entry in it.
 * @throws PorchlightError keychain_unavailable (503), with a reason in plain words, where that fails. So does every
 * later call, when the keychain is locked or gone by then.
 */
export async function openKeychain(options: KeychainOptions): Promise<Secrets> {
  const keytar = await (options.load ?? loadKeytar)().catch(unavailable(messages.missing));
  const inTurn = oneAtATime();
  // A locked keyring may hold its thread until somebody answers a prompt. One call at a time holds one thread only:
  // several would take the whole pool that file access needs as well.
  let isClosed = false;
  const call = <T>(task: () => Promise<T>): Promise<T> => {
    const work = inTurn(() => (isClosed ? Promise.reject(new Error('closed')) : counted(task)));
    return withinLimit(
      work.catch((cause: unknown) => unavailable(isClosed ? messages.closed : messages.denied)(cause)),
      options.timeoutMs ?? 20_000,
    );
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
    // keytar aborts the process if Node.js ends while one of its calls is running.
    async close() {
      isClosed = true;
      const idle = inTurn(() => Promise.resolve());
      await withinLimit(idle, options.closeMs ?? 2000).catch(() => undefined);
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

async function loadKeytar(): Promise<Keytar> {
  return (await import('keytar')).default;
}

async function withinLimit<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const done = new AbortController();
  const timeUp = pause(timeoutMs, undefined, { signal: done.signal }).then(unavailable(messages.silent));
  timeUp.catch(() => undefined); // Ending the pause rejects it; by then nobody waits for it any more.
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    done.abort();
  }
}

function unavailable(message: string): (cause: unknown) => never {
  return (cause) => {
    throw new PorchlightError('keychain_unavailable', message, 503, { cause });
  };
}
