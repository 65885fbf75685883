import { createHash, createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  joinCopies,
  mailboxPath,
  mailboxVersion,
  proofHeader,
  provedText,
  signatureHeader,
  signedText,
  type CallName,
  type Copy,
  type MailboxCalls,
} from '../../src-main/platform/mailbox-protocol.ts';
import type { SealingKeys } from '../../src-main/mailbox/mailbox-client.ts';
import type { EdgeKeys } from './edge-runtime.ts';

/** Creates the keys of a mailbox, with the private half of the sealing key. */
export function newEdgeKeys(): { keys: EdgeKeys; sealing: SealingKeys } {
  const { x = '', d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const secret = () => randomBytes(32).toString('base64url');
  return {
    keys: { proofKey: secret(), callKey: secret(), sealingKey: x },
    sealing: { publicKey: x, privateKey: d },
  };
}

/** Returns the header that proves an answer to a request with this nonce. */
export function proofOf(nonce: string, proofKey: string, time = Date.now()): Record<string, string> {
  return { [proofHeader]: `${time}.${macOf(provedText(nonce, time), proofKey)}` };
}

export interface CallOptions {
  readonly version?: number;
  readonly number?: number;
  readonly callKey?: string;
  /** What is sent instead of the body that was signed. */
  readonly sentBody?: Uint8Array | string;
}

/** Creates a client that calls a mailbox as a server does. */
export function edgeClient(url: string, keys: EdgeKeys, server = 'server-one') {
  let last = 0;

  /** Returns the header that signs a call. */
  function signed(
    name: string,
    body: Uint8Array | string,
    options: CallOptions = {},
  ): Record<string, string> {
    const { version = mailboxVersion, number = (last += 1), callKey = keys.callKey } = options;
    const sha256 = createHash('sha256').update(body).digest('hex');
    const mac = macOf(signedText({ name, server, number, sha256 }, version), callKey);
    return { [signatureHeader]: [version, server, number, sha256, mac].join('.') };
  }

  /** Makes a call, with a body as it is. */
  function send(name: string, body: Uint8Array | string, options: CallOptions = {}): Promise<Response> {
    return fetch(`${url}${mailboxPath}/${name}`, {
      method: 'POST',
      headers: signed(name, body, options),
      body: (options.sentBody ?? body) as BodyInit,
    });
  }

  return {
    send,
    signed,
    /** Makes a call that is to be accepted. @throws Error if it isn't */
    async call<Name extends Exclude<CallName, 'store'>>(name: Name, call: MailboxCalls[Name]['call']) {
      const response = await send(name, JSON.stringify(call));
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`);
      return (await response.json()) as MailboxCalls[Name]['answer'];
    },
    store: (copies: readonly Copy[]) => send('store', joinCopies(copies)),
  };
}

function macOf(text: string, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url');
}
