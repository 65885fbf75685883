import { sealing } from '../../platform/mailbox-protocol.ts';

const x25519 = { name: 'X25519' };

/**
 * Encrypts a text so that only the owner of the private key can read it, as described at `sealing`. This program
 * doesn't have that key.
 */
export async function seal(text: string, key: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const to = await crypto.subtle.importKey('raw', key, x25519, true, []);
  const once = (await crypto.subtle.generateKey(x25519, true, ['deriveBits'])) as CryptoKeyPair;
  const from = new Uint8Array((await crypto.subtle.exportKey('raw', once.publicKey)) as ArrayBuffer);
  const id = new Uint8Array(await crypto.subtle.digest('SHA-256', key)).slice(0, sealing.idBytes);
  // Cloudflare's types call the parameter `$public`. Its runtime and the standard call it `public`.
  const algorithm = { ...x25519, public: to } as unknown as Parameters<typeof crypto.subtle.deriveBits>[0];
  const shared = await crypto.subtle.deriveBits(algorithm, once.privateKey, 256);
  const material = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveBits']);
  const info = new TextEncoder().encode(sealing.info);
  const { keyBytes, nonceBytes } = sealing;
  const bits = new Uint8Array(
    await crypto.subtle.deriveBits(
      { name: 'HKDF', hash: 'SHA-256', salt: joined(from, key), info },
      material,
      8 * (keyBytes + nonceBytes),
    ),
  );
  const aes = await crypto.subtle.importKey('raw', bits.slice(0, keyBytes), 'AES-GCM', false, ['encrypt']);
  const gcm = { name: 'AES-GCM', iv: bits.slice(keyBytes), additionalData: id };
  return joined(id, from, new Uint8Array(await crypto.subtle.encrypt(gcm, aes, filled(text))));
}

function filled(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const all = new Uint8Array(Math.ceil(bytes.length / sealing.step) * sealing.step).fill(0x20);
  all.set(bytes);
  return all;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
