const hmac = { name: 'HMAC', hash: 'SHA-256' };
const tagBytes = 16;
/**
 * Maps each secret to its imported HMAC key. Contains no promises, because a request must not await another request's
 * promise.
 */
const imported = new Map<string, CryptoKey>();

/** Returns the HMAC key for `secret` (base64url). */
async function hmacKey(secret: string): Promise<CryptoKey> {
  const known = imported.get(secret);
  if (known !== undefined) return known;
  const key = await importKey(decodeBase64url(secret));
  imported.set(secret, key);
  return key;
}

/**
 * Returns a tag for each text: a short HMAC in base64. Without the key, tags reveal only whether two texts are equal.
 * The key is derived from `secret` and never stored.
 */
export async function tagsOf(secret: string, texts: readonly string[]): Promise<string[]> {
  const label = new TextEncoder().encode('porchlight mailbox tags');
  const key = await importKey(await crypto.subtle.sign('HMAC', await hmacKey(secret), label));
  return Promise.all(
    texts.map(async (text) => {
      const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
      return encodeBase64(new Uint8Array(mac, 0, tagBytes));
    }),
  );
}

/** Returns whether `mac` (base64url) is the HMAC of a text. The check takes the same time for every wrong value. */
export async function isMac(secret: string, text: string, mac: string): Promise<boolean> {
  return crypto.subtle.verify(
    'HMAC',
    await hmacKey(secret),
    decodeBase64url(mac),
    new TextEncoder().encode(text),
  );
}

/**
 * Decodes base64url.
 * @throws if the text isn't base64url
 */
export function decodeBase64url(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Encodes bytes in base64. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function importKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify']);
}
