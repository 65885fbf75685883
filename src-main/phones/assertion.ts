import { createHash, createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { sameText } from '../platform/secrets.ts';
import { isRecord, jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';

/** Bytes as base64url, as short as what authenticators send. */
export const Bytes = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

/** What an authenticator says to each request (WebAuthn, 5.2). */
const Said = { credential: Bytes(1400), clientDataJSON: Bytes(4000), authenticatorData: Bytes(4000) };
/** A new passkey. `publicKey`: its SPKI, as `getPublicKey()` returns it, so that no CBOR is read. */
export const Attestation = closed({ ...Said, publicKey: Bytes(1400) });
export const Assertion = closed({ ...Said, signature: Bytes(1400) });
export type Assertion = Static<typeof Assertion>;

/** What the browser adds (WebAuthn, 5.8.1). Other keys may follow. */
const ClientData = Type.Object({
  type: Type.String(),
  challenge: Type.String(),
  origin: Type.String(),
  crossOrigin: Type.Optional(Type.Literal(false)),
  topOrigin: Type.Optional(Type.Never()),
});

/** The flags in authenticator data (WebAuthn, 6.1): user present, user verified, backup eligible, backup state. */
const flags = { present: 0x01, verified: 0x04, mayBeSynced: 0x18 };
/** The hash of the rpId, the flags and the counter. */
const headLength = 37;

export interface Expected {
  readonly type: 'webauthn.create' | 'webauthn.get';
  /** The challenge, as base64url. */
  readonly challenge: string;
  readonly origin: string;
}

const refused = (message: string) => new PorchlightError('forbidden', message, 403);
const bytesOf = (text: string) => Buffer.from(text, 'base64url');
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/**
 * Checks what an authenticator said: the purpose, the challenge, the page that asked, and that its owner was there and
 * was recognized. Returns the counter, and whether the passkey may be on other devices too.
 * @throws PorchlightError `forbidden` (403)
 */
export function readAuthenticator(
  said: Pick<Assertion, 'clientDataJSON' | 'authenticatorData'>,
  { type, challenge, origin }: Expected,
): { counter: number; synced: boolean } {
  const client = jsonIn(bytesOf(said.clientDataJSON).toString('utf8'));
  if (!isValid(ClientData, client) || client.type !== type || client.origin !== origin)
    throw refused('This answer of a passkey is for another page.');
  if (!sameText(client.challenge, challenge))
    throw refused('This answer of a passkey is for another question. Reload this page, and try again.');
  const data = bytesOf(said.authenticatorData);
  if (data.length < headLength || !data.subarray(0, 32).equals(hashOf(new URL(origin).hostname)))
    throw refused('This passkey belongs to another address.');
  const flag = data.readUInt8(32);
  if ((flag & flags.present) === 0 || (flag & flags.verified) === 0)
    throw refused('The phone did not check who uses it. Set up a screen lock, and try again.');
  return { counter: data.readUInt32BE(33), synced: (flag & flags.mayBeSynced) !== 0 };
}

/** Returns whether what an authenticator said is an answer to a challenge, whatever else is wrong with it. */
export function isAnswerTo(
  challenge: string,
  { clientDataJSON }: Pick<Assertion, 'clientDataJSON'>,
): boolean {
  const client = jsonIn(bytesOf(clientDataJSON).toString('utf8'));
  const named = isRecord(client) ? client['challenge'] : undefined;
  return typeof named === 'string' && sameText(named, challenge);
}

/** The exponent that all authenticators use. With 1, anybody could sign; large ones take long to check. */
const usualExponent = 65_537n;

/** Returns the key in an SPKI; undefined if it isn't one for ES256 or RS256. */
export function passkeyIn(spki: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: bytesOf(spki), format: 'der', type: 'spki' });
    const { namedCurve, modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
    const isUsual = modulusLength >= 2048 && modulusLength <= 4096 && publicExponent === usualExponent;
    const isRsa = key.asymmetricKeyType === 'rsa' && isUsual;
    return isRsa || (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') ? key : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks the signature of a passkey.
 * @throws PorchlightError `forbidden` (403)
 */
export function checkSignature(said: Assertion, key: KeyObject): void {
  const signed = Buffer.concat([bytesOf(said.authenticatorData), hashOf(bytesOf(said.clientDataJSON))]);
  if (!verify('sha256', signed, key, bytesOf(said.signature)))
    throw refused('The signature of this passkey is not valid.');
}

/** Returns whether a counter may follow another one. That of a passkey on several devices stays 0. */
export const mayFollow = (counter: number, before: number): boolean =>
  counter > before || (counter === 0 && before === 0);

/** What the owner decides. A passkey signs all of it. */
export interface Decided {
  readonly decision: 'approve' | 'deny';
  readonly id: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Seconds; null if the access has no end. */
  readonly expiresIn: number | null;
  /** The digits that the owner typed; empty for a denial. */
  readonly number: string;
  readonly nonce: string;
}

/** Returns the challenge of a decision, as base64url. The page of the phone computes the same. */
export function challengeOf(decided: Decided): string {
  const { decision, id, clientId, redirectUri, scopes, expiresIn, number, nonce } = decided;
  const label = `Porchlight ${decision}`;
  const parts = [label, id, clientId, redirectUri, [...scopes].sort(), expiresIn, number, nonce];
  return hashOf(JSON.stringify(parts)).toString('base64url');
}

/** Returns the code that both screens show when a phone is paired: of the secret in the link, and of the new key. */
export function pairingCode(secret: string, publicKey: string): string {
  const mac = createHmac('sha256', bytesOf(secret)).update(bytesOf(publicKey)).digest();
  return String(mac.readUInt32BE(0) % 1_000_000).padStart(6, '0');
}
