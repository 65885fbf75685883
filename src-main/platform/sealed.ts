import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from 'node:crypto';
import { sealing } from './mailbox-protocol.ts';

/** An X25519 key pair that encrypts (seals) and decrypts the mailbox's items. The keys are raw, in base64url. */
export interface SealingKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const tagBytes = 16;

/**
 * Decrypts text from the mailbox (for the format, see `sealing`). Returns undefined if no key matches, or if the
 * encrypted text was modified.
 */
export function openSealed(sealed: Uint8Array, keys: readonly SealingKeys[]): string | undefined {
  const { idBytes, keyBytes, nonceBytes } = sealing;
  const textAt = idBytes + keyBytes;
  if (sealed.length < textAt + tagBytes) return undefined;
  const id = sealed.subarray(0, idBytes);
  const from = sealed.subarray(idBytes, textAt);
  const pair = keys.find((one) => sealingKeyId(one.publicKey).equals(id));
  if (pair === undefined) return undefined;
  const jwk = { kty: 'OKP', crv: 'X25519', x: pair.publicKey };
  try {
    const shared = diffieHellman({
      privateKey: createPrivateKey({ key: { ...jwk, d: pair.privateKey }, format: 'jwk' }),
      publicKey: createPublicKey({
        key: { ...jwk, x: Buffer.from(from).toString('base64url') },
        format: 'jwk',
      }),
    });
    const salt = Buffer.concat([from, Buffer.from(pair.publicKey, 'base64url')]);
    const bits = Buffer.from(hkdfSync('sha256', shared, salt, sealing.info, keyBytes + nonceBytes));
    const cipher = createDecipheriv('aes-256-gcm', bits.subarray(0, keyBytes), bits.subarray(keyBytes));
    cipher.setAAD(id);
    cipher.setAuthTag(sealed.subarray(-tagBytes));
    const text = Buffer.concat([cipher.update(sealed.subarray(textAt, -tagBytes)), cipher.final()]);
    return text.toString('utf8').trimEnd();
  } catch {
    return undefined;
  }
}

function sealingKeyId(publicKey: string): Buffer {
  const bytes = Buffer.from(publicKey, 'base64url');
  return createHash('sha256').update(bytes).digest().subarray(0, sealing.idBytes);
}
