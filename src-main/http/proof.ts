import { createHmac } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { nonceHeader, proofHeader, provedText } from '../edge/protocol.ts';

/**
 * Adds a header that proves that a response comes from this server, if the mailbox requests such a proof. (The mailbox
 * is the worker at Cloudflare that responds while this computer sleeps.) A response's status alone proves nothing.
 * `proofKey`: returns the key, base64url; undefined while there is no mailbox.
 */
export function proveResponses(app: FastifyInstance, proofKey: () => string | undefined): void {
  app.addHook('onRequest', ({ headers }, reply, done) => {
    const nonce = headers[nonceHeader];
    const key = typeof nonce === 'string' && /^[\w-]{1,64}$/.test(nonce) ? proofKey() : undefined;
    if (key !== undefined) {
      const time = Date.now();
      const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(provedText(String(nonce), time));
      reply.header(proofHeader, `${time}.${mac.digest('base64url')}`);
    }
    done();
  });
}
