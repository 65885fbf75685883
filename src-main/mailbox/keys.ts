import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import type { SealingKeys } from './mailbox-client.ts';
import { mailboxKeysName, type Secrets } from '../platform/secrets.ts';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';

const Key = Type.String({ pattern: '^[\\w-]{43}$' });

/** The mailbox's keys. Each key is 32 bytes, as base64url. */
const MailboxKeys = closed({
  /** Proves to the mailbox that a response comes from this server (HMAC-SHA-256). */
  proofKey: Key,
  /** Signs this server's calls to the mailbox (HMAC-SHA-256). */
  callKey: Key,
  /**
   * The key pairs that decrypt stored requests, newest first. Older pairs decrypt requests that were stored before the
   * keys changed.
   */
  sealing: Type.Array(closed({ publicKey: Key, privateKey: Key }), { minItems: 1 }),
});
export type MailboxKeys = Static<typeof MailboxKeys>;

/** The maximum number of key pairs to keep, including the current pair. */
const mostSealing = 3;

/** Opens the mailbox's keys in the secret store. */
export function openMailboxKeys(secrets: Secrets) {
  let known: MailboxKeys | undefined;
  /**
   * A proof key that was replaced; undefined if there is none. After the keys have changed, some of Cloudflare's
   * servers may use the replaced key for a while.
   */
  let otherProofKey: string | undefined;

  async function read(): Promise<MailboxKeys | undefined> {
    if (known) return known;
    const text = await secrets.get(mailboxKeysName);
    if (text === null) return undefined;
    known = parsed(text);
    return known;
  }

  /** Returns the keys. Treats damaged keys as missing, so that new keys can replace them. */
  async function readUndamaged(): Promise<MailboxKeys | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DamagedKeys) return undefined;
      throw error;
    }
  }

  async function write(keys: MailboxKeys): Promise<MailboxKeys> {
    await secrets.set(mailboxKeysName, JSON.stringify(keys));
    known = keys;
    return keys;
  }

  return {
    /**
     * Returns the proof keys, as last read: the current key and, after the keys have changed, also the previous key
     * until Porchlight quits. A proof shows the mailbox that a response comes from this server. A proof with an old key
     * is harmless, because the mailbox decides which key to accept.
     */
    proofKeys: (): string[] => [known?.proofKey, otherProofKey].filter((key) => key !== undefined),
    /**
     * Returns the keys; undefined if there are none.
     * @throws PorchlightError mailbox_outdated if they are damaged; another error if the secret store can't be read
     */
    read,
    /** Returns the keys. Creates new keys if there are none, or if they are damaged. */
    readOrCreate: async () => (await readUndamaged()) ?? (await write(newKeys([]))),
    /** Replaces the keys. Keeps the newest of the old key pairs, to decrypt older requests. */
    async rotate(): Promise<MailboxKeys> {
      const before = await readUndamaged();
      const keys = await write(newKeys(before?.sealing.slice(0, mostSealing - 1) ?? []));
      otherProofKey = before?.proofKey;
      return keys;
    },
    /**
     * Puts the previous keys back into use after an upload of the new keys has failed. Keeps the new keys for
     * decryption and for proofs, because the upload may have reached Cloudflare despite the error.
     */
    async takeBack(before: MailboxKeys, replaced: MailboxKeys): Promise<void> {
      await write(withPairsOf(before, replaced));
      otherProofKey = replaced.proofKey;
    },
    async forget(): Promise<void> {
      await secrets.delete(mailboxKeysName);
      known = otherProofKey = undefined;
    },
  };
}

/**
 * Returns the keys to store when a backup is restored, as JSON: the backup's keys, plus this computer's key pairs for
 * decryption, because the mailbox may have used those pairs since the backup. Both parameters are stored keys as JSON.
 * If either is damaged, or `current` is null, returns `restored` unchanged.
 */
export function restoredKeys(restored: string, current: string | null): string {
  try {
    return JSON.stringify(withPairsOf(parsed(restored), parsed(current ?? '')));
  } catch {
    return restored;
  }
}

/** Returns `keys` with the newest key pairs of `others` added. The added pairs are only for decryption. */
function withPairsOf(keys: MailboxKeys, others: MailboxKeys): MailboxKeys {
  const pairs = [...keys.sealing.slice(0, 1), ...others.sealing, ...keys.sealing.slice(1)];
  const different = new Map(pairs.map((pair) => [pair.publicKey, pair]));
  return { ...keys, sealing: [...different.values()].slice(0, mostSealing) };
}

function newKeys(older: readonly SealingKeys[]): MailboxKeys {
  const secret = () => randomBytes(32).toString('base64url');
  return { proofKey: secret(), callKey: secret(), sealing: [newSealingKeys(), ...older] };
}

function newSealingKeys(): SealingKeys {
  const { x = '', d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { publicKey: x, privateKey: d };
}

function parsed(text: string): MailboxKeys {
  const value = jsonIn(text);
  if (isValid(MailboxKeys, value)) return value;
  throw new DamagedKeys(
    'mailbox_outdated',
    'The mailbox’s keys on this computer are damaged. Update the mailbox to create new ones.',
  );
}

class DamagedKeys extends PorchlightError {}
