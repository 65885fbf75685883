import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowedHeaders, nonceHeader, proofHeader, provedText } from '../platform/mailbox-protocol.ts';

/**
 * The headers of every public response. A page has its own content security policy instead. The headers are constants,
 * because a library that built them for each request cost a third of the throughput (docs/architecture.md). There is no
 * Cross-Origin-Opener-Policy, because a sign-in window that an app opens must keep its opener. There is no
 * Cross-Origin-Resource-Policy, because other sites may embed files.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000', // browsers ignore this header over http (RFC 6797, 8.1)
  'x-permitted-cross-domain-policies': 'none',
  // Only /phone may use passkeys.
  'permissions-policy': 'publickey-credentials-get=(), publickey-credentials-create=()',
};

/** Headers that tell browsers and proxies not to store a response with tokens or private data. */
export const noStoreHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Adds `noStoreHeaders` to a response. */
export function noStore(reply: FastifyReply): void {
  reply.headers(noStoreHeaders);
}

/**
 * The Content-Security-Policy of the owner's window. Mantine writes its theme into a style element, so styles need
 * `unsafe-inline`.
 */
export const windowPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers that let scripts on other sites read a response. */
const open = {
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Location, Link, WWW-Authenticate',
};
const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': allowedHeaders,
  'access-control-max-age': '86400',
  'content-length': '0',
};

/**
 * Lets scripts on other sites call everything except the authorization endpoint (RFC 9700, 2.6) and the phones' page. This is safe, because
 * everything that isn't public needs a token, and browsers never send tokens on their own. Responds to preflight
 * requests. Used as an onRequest hook. The headers are constants, because building them for each request is slow (see
 * security-headers.ts).
 */
export function allowOtherSites(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isOnlyForOurPages(request.url)) {
    reply.header('vary', 'Origin');
    done();
    return;
  }
  reply.headers(open);
  if (request.method === 'OPTIONS') reply.code(204).headers(preflight).send();
  else done();
}

/** Returns whether a URL leads to the authorization endpoint or the phones' page. Decodes the path as the router does. */
function isOnlyForOurPages(url: string): boolean {
  if (!/^\/(?:auth|phone|[^/?]*%)/.test(url)) return false; // most requests need no decoding
  try {
    return /^\/(?:auth|phone)(\/|$)/.test(decodeURIComponent(url.split(/[?#]/, 1)[0] ?? ''));
  } catch {
    return true; // when in doubt, refuse other sites
  }
}

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

/**
 * The phases of a request. `hooks` ends when all hooks have accepted the request, `reading` when its body has arrived,
 * and `answering` when the response is ready to send.
 */
const phases = ['hooks', 'reading', 'answering'];

/**
 * Adds a Server-Timing header with the time that each phase of a request took, in ms. For developers only, because
 * these times tell strangers what the server does. Sending the response isn't included, because the header comes before
 * the body.
 */
export function addServerTiming(app: FastifyInstance): void {
  const moments = new WeakMap<FastifyRequest, number[]>();
  const mark = (request: FastifyRequest) => moments.get(request)?.push(performance.now());

  app.addHook('onRequest', (request, _reply, done) => {
    moments.set(request, [performance.now()]);
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    mark(request);
    done(null, payload);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    mark(request);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    mark(request);
    const [first = 0, ...ends] = moments.get(request) ?? [];
    const lasted = ends.map((end, index) => end - (ends[index - 1] ?? first));
    const words = lasted.map((ms, index) => `${phases[index] ?? ''};dur=${ms.toFixed(2)}`);
    reply.header('server-timing', words.join(', '));
    done(null, payload);
  });
}
