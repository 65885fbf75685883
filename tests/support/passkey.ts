import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { type Decided, challengeOf } from '../../src-main/phones/assertion.ts';
import type { Browser } from './browser.ts';

/** What differs from an honest authenticator and browser. */
export interface Odd {
  readonly flags?: number;
  readonly counter?: number;
  readonly type?: string;
  readonly origin?: string;
  readonly host?: string;
  readonly client?: Readonly<Record<string, unknown>>;
}

const text = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url');
const hash = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** Makes a passkey for the page at `origin`, as a phone and its browser would. `kind`: of its key. */
export function newPasskey(origin: string, kind: 'ec' | 'rsa' = 'ec') {
  const { publicKey, privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credential = text(randomBytes(16));

  function say(type: string, challenge: string, odd: Odd) {
    const client = { type: odd.type ?? type, challenge, origin: odd.origin ?? origin, ...odd.client };
    const head = Buffer.alloc(5);
    head.writeUInt8(odd.flags ?? 0x05);
    head.writeUInt32BE(odd.counter ?? 0, 1);
    const data = Buffer.concat([hash(odd.host ?? new URL(origin).hostname), head]);
    return { client: Buffer.from(JSON.stringify(client)), data };
  }

  return {
    create(challenge: string, odd: Odd = {}) {
      const { client, data } = say('webauthn.create', challenge, odd);
      const spki = publicKey.export({ type: 'spki', format: 'der' });
      const said = { clientDataJSON: text(client), authenticatorData: text(data) };
      return { credential, ...said, publicKey: text(spki) };
    },
    sign(challenge: string, odd: Odd = {}) {
      const { client, data } = say('webauthn.get', challenge, odd);
      const signature = sign('sha256', Buffer.concat([data, hash(client)]), privateKey);
      const said = { clientDataJSON: text(client), authenticatorData: text(data) };
      return { credential, ...said, signature: text(signature) };
    },
  };
}
export type Passkey = ReturnType<typeof newPasskey>;

/** Posts JSON from a phone's browser. */
export const tell = (browser: Browser, path: string, body: unknown): Promise<Response> =>
  browser.open(`/phone/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: '*/*' },
    body: JSON.stringify(body),
  });

/** What waits, as a phone is told. */
export interface Shown {
  readonly id: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly number: string | null;
  readonly network: string | null;
  readonly leftOut: readonly string[];
  readonly permissions: readonly { readonly scope: string }[];
}

/** What a phone decides about a sign-in that it shows. */
export function decided(shown: Shown, about: Partial<Decided>): Decided {
  const { id, clientId, redirectUri, nonce, permissions } = shown;
  const scopes = permissions.map(({ scope }) => scope);
  const usual = { decision: 'approve', scopes, expiresIn: null, number: '' } as const;
  return { ...usual, id, clientId, redirectUri, nonce, ...about };
}

/** What is sent of a decision, with the passkey's signature of `signed`. */
export function sent(what: Decided, passkey: Passkey, signed = challengeOf(what), odd: Odd = {}) {
  const { decision, id, scopes, expiresIn, number } = what;
  return { decision, id, scopes, expiresIn, number, passkey: passkey.sign(signed, odd) };
}
