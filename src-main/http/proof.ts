import { createHmac } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { nonceHeader, proofHeader, provedText } from '../platform/mailbox-protocol.ts';

/**
 * Proves to the mailbox that a response comes from this server, if the mailbox asks for a proof. The proof is a header,
 * because the status alone doesn't show which server sent the response. (The mailbox is the worker at Cloudflare that
 * responds while this computer sleeps.) `proofKeys`: returns the keys that the mailbox may have, base64url; none while
 * there is no mailbox.
 */
export function proveResponses(app: FastifyInstance, proofKeys: () => readonly string[]): void {
  app.addHook('onRequest', ({ headers }, reply, done) => {
    const nonce = headers[nonceHeader];
    const keys = typeof nonce === 'string' && /^[\w-]{1,64}$/.test(nonce) ? proofKeys() : [];
    const proofs = keys.map((key) => proofOf(String(nonce), key));
    if (proofs.length > 0) reply.header(proofHeader, proofs.join(', '));
    done();
  });
}

function proofOf(nonce: string, key: string): string {
  const time = Date.now();
  const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(provedText(nonce, time));
  return `${time}.${mac.digest('base64url')}`;
}
