import {
  type CallName,
  type CallRefusal,
  mailboxPath,
  mailboxVersion,
  sealing,
  signatureHeader,
  type SignedCall,
  signedText,
} from '../../platform/mailbox-protocol.ts';

/** The format of the signature header: `<version>.<server>.<number>.<sha256>.<HMAC>` */
const shape = /^(\d{1,9})\.([\w-]{1,64})\.(\d{1,16})\.([0-9a-f]{64})\.([\w-]{43})$/;

/** The calls, and whether each is also accepted from a server of another version: see MailboxCalls. */
const isLasting: Readonly<Record<CallName, boolean>> = {
  state: true,
  awake: true,
  away: true,
  claim: false,
  wipe: false,
  copies: true,
  store: false,
  remove: true,
  items: true,
  done: true,
};

/** A call with a well-formed signature that has not been verified yet. The call's name comes from the path. */
export interface ClaimedCall extends SignedCall {
  readonly version: number;
  readonly mac: string;
}

/**
 * Reads the name and the signature of a call, without verifying the signature. Returns undefined if the signature is
 * malformed.
 */
export function claimedCall(request: Request): ClaimedCall | undefined {
  const parts = shape.exec(request.headers.get(signatureHeader) ?? '');
  const name = new URL(request.url).pathname.slice(mailboxPath.length + 1);
  if (parts === null) return undefined;
  const [, version, server = '', number, sha256 = '', mac = ''] = parts;
  return { name, server, number: Number(number), sha256, mac, version: Number(version) };
}

/** Checks a call before its body is read. Returns the reason to refuse the call, or undefined if it is acceptable. */
export async function callRefusal(call: ClaimedCall | undefined, callKey: string) {
  if (call === undefined || !Number.isSafeInteger(call.number)) return refusals.forged;
  if (!(await isMac(callKey, signedText(call, call.version), call.mac))) return refusals.forged;
  const { name, version } = call;
  if (version !== mailboxVersion && !(isCallName(name) && isLasting[name])) return refusals.otherVersion;
  return isCallName(name) ? undefined : refusals.invalid;
}

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(isLasting, name);
}

/** The reasons for refusing a call, with their statuses. */
export const refusals = {
  forged: { status: 401, error: 'forged' },
  replayed: { status: 409, error: 'replayed' },
  otherServer: { status: 409, error: 'other_server' },
  otherVersion: { status: 409, error: 'other_version' },
  invalid: { status: 400, error: 'invalid' },
  tooLarge: { status: 413, error: 'too_large' },
  full: { status: 507, error: 'full' },
  overLimit: { status: 503, error: 'over_limit' },
} as const satisfies Record<string, Refused>;

export interface Refused extends CallRefusal {
  readonly status: number;
}

/** Returns the JSON response to a call. No cache may store it. */
export function callAnswer(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}

export function refusalAnswer({ status, ...body }: Refused): Response {
  return callAnswer(status, body);
}

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
