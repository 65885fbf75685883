import { webcrypto } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { openSubscriptions } from '../../src-main/phones/push/subscriptions.ts';
import { openSecretsFile, secretsFileIn } from '../../src-main/platform/secrets.ts';
import type { Behaviour } from './hostile-server.ts';

const { subtle } = webcrypto;
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
const utf8 = (text: string) => new Uint8Array(Buffer.from(text));
const curve = { name: 'ECDH', namedCurve: 'P-256' };

/** What a browser keeps of a subscription: its keys, and the private one. */
export interface Receiver {
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly privateKey: webcrypto.CryptoKey;
  readonly auth: Uint8Array<ArrayBuffer>;
}

/** Creates the keys of a subscription, as a browser does. */
export async function newReceiver(): Promise<Receiver> {
  const pair = await subtle.generateKey(curve, true, ['deriveBits']);
  return {
    publicKey: new Uint8Array(await subtle.exportKey('raw', pair.publicKey)),
    privateKey: pair.privateKey,
    auth: webcrypto.getRandomValues(new Uint8Array(16)),
  };
}

/** Returns a receiver with given keys, in base64url. */
export async function receiverOf(keys: { p256dh: string; d: string; auth: string }): Promise<Receiver> {
  const point = Buffer.from(keys.p256dh, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: keys.d,
    ...(x !== undefined && { x }),
    ...(y !== undefined && { y }),
  };
  const privateKey = await subtle.importKey('jwk', jwk, curve, false, ['deriveBits']);
  return { publicKey: bytes(keys.p256dh), privateKey, auth: bytes(keys.auth) };
}

async function expand(
  secret: BufferSource,
  salt: BufferSource,
  info: Uint8Array<ArrayBuffer>,
  length: number,
) {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 8 * length);
}

/** Decrypts a push as the receiving side of RFC 8291 and RFC 8188. Throws if anything in it is wrong. */
export async function openPush(message: Uint8Array, receiver: Receiver): Promise<string> {
  const body = new Uint8Array(message);
  const [salt, idLength] = [body.slice(0, 16), body[20] ?? 0];
  const recordSize = new DataView(body.buffer).getUint32(16);
  const sender = body.slice(21, 21 + idLength);
  const record = body.slice(21 + idLength);
  if (record.length > recordSize) throw new Error('More than one record.');
  const from = await subtle.importKey('raw', sender, curve, false, []);
  const shared = await subtle.deriveBits({ name: 'ECDH', public: from }, receiver.privateKey, 256);
  const info = new Uint8Array([...utf8('WebPush: info\0'), ...receiver.publicKey, ...sender]);
  const secret = await expand(shared, receiver.auth, info, 32);
  const key = await expand(secret, salt, utf8('Content-Encoding: aes128gcm\0'), 16);
  const iv = await expand(secret, salt, utf8('Content-Encoding: nonce\0'), 12);
  const opener = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  const padded = new Uint8Array(await subtle.decrypt({ name: 'AES-GCM', iv }, opener, record));
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('This is not the last record.');
  return Buffer.from(padded.slice(0, end)).toString();
}

export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on loopback, which also stands for an ntfy server. */
export async function openPushService() {
  const received: ReceivedPush[] = [];
  let behave: Behaviour = (response) => response.writeHead(201).end();
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        received.push({ path: request.url ?? '', headers: request.headers, body });
        behave(response, request);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    /** Sets how the service responds from now on; 201 by default. */
    respond: (how: Behaviour) => void (behave = how),
    /** Returns what a browser sends to turn pushes on. */
    subscription: ({ publicKey, auth }: Receiver, path = '/push/a') => ({
      endpoint: origin + path,
      expirationTime: null,
      keys: {
        p256dh: Buffer.from(publicKey).toString('base64url'),
        auth: Buffer.from(auth).toString('base64url'),
      },
    }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Stores a phone's subscription in a data folder that isn't in use. Returns what of it is secret. */
export async function storedSubscription(dataDir: string) {
  const secrets = await openSecretsFile({ file: secretsFileIn(dataDir) });
  const { publicKey, auth } = await newReceiver();
  const subscription = {
    endpoint: `https://fcm.googleapis.com/fcm/send/${'lamp-'.repeat(5)}`,
    p256dh: Buffer.from(publicKey).toString('base64url'),
    auth: Buffer.from(auth).toString('base64url'),
  };
  const { sender } = await openSubscriptions(secrets, false).put({ phone: 'phone-1', ...subscription });
  await secrets.close();
  return { ...subscription, sender: sender.d };
}
