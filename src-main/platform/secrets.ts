import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type system from 'keytar';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations as disk } from '../storage/file-operations.ts';
import { isRecord, jsonIn } from '../storage/json-value.ts';
import { oneAtATime } from '../storage/pacing.ts';
import { isValid } from '../storage/schema-check.ts';
import { mustHaveReserve, withReserve } from '../storage/reserve.ts';
import { errorCode, systemWriteFailure } from '../storage/storage-error.ts';

/** A store for tokens and keys. Names and values are single lines, and a value is never empty. */
export interface Secrets {
  readonly kind: 'keychain' | 'file';
  get(name: string): Promise<string | null>;
  /**
   * Stores a secret. Resolves once it is stored durably. `ends`: whether the secret that it replaces was valid until now
   * (see reserve.ts).
   * @throws PorchlightError invalid_secret
   */
  set(name: string, value: string, how?: { readonly ends?: true }): Promise<void>;
  /** Deletes a secret. A missing secret is not an error. */
  delete(name: string): Promise<void>;
  /** Waits for running calls, but only for a limited time. A closed keychain refuses all later calls. */
  close(): Promise<void>;
}

/**
 * Checks that a name and a value are single lines. Keychains and their command-line tools truncate or damage values
 * with line breaks, so both the keychain and the secrets file refuse them.
 * @throws PorchlightError invalid_secret. The message never contains the value.
 */
export function checkSecret(name: string, value: string): void {
  const isLine = (text: string): boolean => text !== '' && !/[\n\r\0]/.test(text);
  if (isLine(name) && isLine(value)) return;
  throw new PorchlightError('invalid_secret', 'A secret must be one line of text and must not be empty.');
}

/** The names under which Porchlight stores its secrets. Backups can include those in `secretNames`. */

/** The key that signs access tokens: a JWK on one line. */
export const signingKeyName = 'signing-key';
export const managementTokenName = 'management-token';
/** The token of the webmention aggregator. */
export const aggregatorTokenName = 'aggregator-token';
export const tunnelTokenName = 'tunnel-token';
/** Cloudflare's API token. It is stored during a setup, and afterwards only if the owner chose to keep it. */
export const cloudflareTokenName = 'cloudflare-token';
/** The keys of the mailbox: JSON on one line. */
export const mailboxKeysName = 'mailbox-keys';
/** The key for pushes to phones, and the phones' subscriptions: JSON on one line. */
export const phonePushName = 'phone-push';
/** The ntfy server and its topic: a URL. Who knows it reads what is sent there. */
export const ntfyName = 'ntfy';

export const secretNames: readonly string[] = [
  signingKeyName,
  managementTokenName,
  aggregatorTokenName,
  tunnelTokenName,
  mailboxKeysName,
  phonePushName,
  ntfyName,
];

/** Returns 256 random bits as text, for a key, code or token that nobody can guess. */
export function newSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the hash of a random secret. Porchlight stores only the hash, so that somebody who reads the stored data
 * gains no access. Don't use this function for passwords, because passwords can be guessed.
 */
export function secretHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Compares two strings in constant time, so that timing doesn't reveal where they differ. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const ownerOnly = 0o600;

/** Returns the path of the secrets file in a data folder. The file may not exist. */
export function secretsFileIn(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

/**
 * Returns whether a data folder has a secrets file. If so, Porchlight keeps using the file, even if the keychain
 * becomes available again.
 */
export function hasSecretsFile(dataDir: string): boolean {
  return existsSync(secretsFileIn(dataDir));
}

/**
 * Stores secrets in a file that only its owner can read, for computers without a usable keychain. The folder must exist
 * and be locked by this process. Removes other users' permissions on the file. Every change is completely on disk
 * before its promise resolves, and a failed write leaves the old content.
 * A damaged file is kept aside: `damaged` gets its new path, and the store begins without secrets.
 * @throws PorchlightError `storage_…` if a change can't be written; secrets_file_unreadable (503) if a newer version of
 * Porchlight wrote the file, which stays unchanged.
 */
export async function openSecretsFile({
  file,
  damaged = () => undefined,
}: {
  file: string;
  damaged?: (keptAt: string) => void;
}): Promise<Secrets> {
  let secrets = await load(file, damaged);
  const inTurn = oneAtATime();
  const change = (edit: (secrets: Map<string, string>) => void, ends = false): Promise<void> =>
    inTurn(async () => {
      const next = new Map(secrets);
      edit(next);
      const text = JSON.stringify({ format: 1, secrets: Object.fromEntries(next) }, null, 2);
      if (!ends) mustHaveReserve(file);
      await (ends ? withReserve(file, () => replaceFile(file, text)) : replaceFile(file, text));
      secrets = next;
    });

  return {
    kind: 'file',
    get: (name) => inTurn(() => Promise.resolve(secrets.get(name) ?? null)),
    async set(name, value, { ends } = {}) {
      checkSecret(name, value);
      await change((next) => next.set(name, value), ends);
    },
    delete: (name) => change((next) => next.delete(name)),
    close: () => inTurn(() => Promise.resolve()),
  };
}

async function load(file: string, damaged: (keptAt: string) => void): Promise<Map<string, string>> {
  const found = await stat(file).catch(nullWhenMissing);
  if (found === null) return new Map();
  if ((found.mode & 0o777) !== ownerOnly) await chmod(file, ownerOnly);
  const secrets = parse(file, await readFile(file, 'utf8'));
  if (secrets !== undefined) return secrets;
  const keptAt = `${file}.broken-${new Date().toISOString().replaceAll(':', '-')}`;
  await disk.rename(file, keptAt);
  damaged(keptAt);
  return new Map();
}

const Content = Type.Object({ format: Type.Literal(1), secrets: Type.Record(Type.String(), Type.String()) });

/** Returns the secrets in a file's text; undefined if it is damaged. */
function parse(file: string, text: string): Map<string, string> | undefined {
  // The parser's own error is not used, because it quotes the invalid text, which may be a secret.
  const content = jsonIn(text);
  if (isValid(Content, content)) return new Map(Object.entries(content.secrets));
  if (!isRecord(content) || typeof content['format'] !== 'number' || content['format'] <= 1) return undefined;
  const message = `A newer Porchlight wrote the file with the secrets, “${file}”. Porchlight left it unchanged. Install the newer version again.`;
  throw new PorchlightError('secrets_file_unreadable', message, 503);
}

/**
 * Writes a temporary file in the same folder, then renames it. The file always has either its complete old content or
 * its complete new content.
 */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  // Remove an existing temporary file first. Otherwise, the new file would have the permissions of the existing file.
  await disk.remove(temporary);
  try {
    await disk.write(temporary, `${text}\n`);
    await disk.rename(temporary, file);
    await disk.syncFolder(dirname(file));
  } catch (error) {
    // On a full disk, a part of the new file would take up space.
    await disk.remove(temporary).catch(() => undefined);
    throw systemWriteFailure(file, error);
  }
}

function nullWhenMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

/** The keytar methods that Porchlight uses. */
export type Keytar = Pick<typeof system, 'getPassword' | 'setPassword' | 'deletePassword'>;

interface KeychainOptions {
  /** The service name of the entries in the keychain. */
  readonly service: string;
  /** The time limit of one call, in ms; by default enough to type the keychain's password into its prompt. */
  readonly timeoutMs?: number;
  /** How long close() waits for a running call, in ms; 2 s by default. */
  readonly closeMs?: number;
  /** The system that decides on the time limit, and on the words for a keychain that doesn't answer. */
  readonly platform?: NodeJS.Platform;
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

/**
 * Returns the default time limit of one call, in ms. On macOS, each version with another signature asks for each entry,
 * and people read these questions first.
 */
const patience = (platform: NodeJS.Platform): number => (platform === 'darwin' ? 120_000 : 20_000);

const messages = {
  missing:
    'Porchlight couldn’t load this computer’s keychain. On Linux, install libsecret (the package libsecret-1-0).',
  denied: 'Porchlight can’t open this computer’s keychain. It may be locked, or this session has none.',
  silent: (platform: NodeJS.Platform) =>
    platform === 'darwin'
      ? 'This Mac’s keychain isn’t responding. macOS asks whether this version of Porchlight may use what an earlier one stored there: choose “Always Allow”, then try again.'
      : 'This computer’s keychain isn’t responding. It may be locked: unlock it, then try again.',
  closed: 'Porchlight is closing and doesn’t use the keychain any longer.',
  forgetful: 'This computer’s keychain doesn’t keep what Porchlight stores in it.',
};

/**
 * Opens the operating system's keychain, and tests it by writing, reading and deleting an entry.
 * @throws PorchlightError keychain_unavailable (503), with a reason in plain words, if the test fails. Later calls
 * throw the same error if the keychain is locked or no longer available.
 */
export async function openKeychain(options: KeychainOptions): Promise<Secrets> {
  const { load = async () => (await import('keytar')).default, platform = process.platform } = options;
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
        options.timeoutMs ?? patience(platform),
        wait,
        messages.silent(platform),
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

/** Waits for `work`, at most `timeoutMs`: then, `silent` says why. Aborting `wait` ends the wait earlier. */
async function withinLimit<T>(
  work: Promise<T>,
  timeoutMs: number,
  wait = new AbortController(),
  silent: string = messages.closed,
): Promise<T> {
  const timeUp = pause(timeoutMs, undefined, { signal: wait.signal }).then(
    unavailable(silent),
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
