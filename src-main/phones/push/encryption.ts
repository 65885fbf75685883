import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';
import { Type, type Static } from 'typebox';
import { closed } from '../../contract/shapes.ts';

const Coordinate = Type.String({ pattern: '^[\\w-]{43}$' });

/** The key pair with which this server signs its pushes: an EC key on P-256, as the parts of its JWK. */
export const SenderKey = closed({ x: Coordinate, y: Coordinate, d: Coordinate });
export type SenderKey = Static<typeof SenderKey>;

/** Returns a new key for signing pushes. */
export function newSenderKey(): SenderKey {
  const {
    x = '',
    y = '',
    d = '',
  } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  return { x, y, d };
}

/** Returns the public part of a key as an uncompressed point in base64url, as browsers take it. */
export const publicPartOf = ({ x, y }: SenderKey): string =>
  Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64url',
  );

/** The keys of a browser's subscription, in base64url. */
export interface ReceiverKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** What begins the header after the salt: a record has at most 4096 bytes, and the sender's key 65 (RFC 8188, 2.1). */
const sizes = Buffer.of(0, 0, 16, 0, 65);
/** Ends the last record (RFC 8188, 2). */
const lastRecord = Buffer.of(2);

/**
 * Encrypts a message for a subscription (RFC 8291; aes128gcm of RFC 8188, in one record). `oneTime`: random by default.
 * @throws an error of node:crypto if `p256dh` isn't a point on P-256.
 */
export function encryptPush(
  { p256dh, auth }: ReceiverKeys,
  text: string,
  oneTime?: { readonly salt: Buffer; readonly privateKey: Buffer },
): Buffer {
  const own = createECDH('prime256v1');
  if (oneTime) own.setPrivateKey(oneTime.privateKey);
  else own.generateKeys();
  const salt = oneTime?.salt ?? randomBytes(16);
  const [receiver, sender] = [Buffer.from(p256dh, 'base64url'), own.getPublicKey()];
  const derive = (key: Buffer, from: Buffer, info: string | Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, from, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const secret = derive(own.computeSecret(receiver), Buffer.from(auth, 'base64url'), info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = [
    cipher.update(text, 'utf8'),
    cipher.update(lastRecord),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  return Buffer.concat([salt, sizes, sender, ...record]);
}

const halfDaySeconds = 43_200;

/**
 * Returns the Authorization header that tells a push service who sends (VAPID, RFC 8292). `subject`: an https address
 * of the sender, because Apple refuses others. `now`: in ms.
 */
export function senderProof(key: SenderKey, endpoint: string, subject: string, now: number): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1000) + halfDaySeconds,
    sub: subject,
  };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), {
    key: createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', ...key } }),
    dsaEncoding: 'ieee-p1363',
  });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicPartOf(key)}`;
}
