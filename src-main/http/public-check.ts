import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { secretHash, newSecretText, sameText } from '../platform/secrets.ts';
import { visitorAddress, visitorOf } from './client-address.ts';
import { formFields } from './form.ts';
import { jsonIn } from '../storage/json-value.ts';
import { nothingHere } from './errors.ts';

/** The path that the self-test requests at the public address. */
export const checkPath = '/.well-known/porchlight-check';

/** A self-test request as this server received it. */
export interface Sight {
  /**
   * The number of earlier requests in the same challenge (see Challenge). Two responses with the same number mean that
   * an intermediary cached one of them.
   */
  readonly asked: number;
  /** Hash of the Authorization header; null if there was none. */
  readonly authorization: string | null;
  /** Whether the tunnel reported the visitor's IP address with the request. */
  readonly visitor: boolean;
  /** Size of the body in bytes; `digest` is its SHA-256 in base64url. */
  readonly bytes: number;
  readonly digest: string;
}

export type PublicCheck = ReturnType<typeof createPublicCheck>;

/** A series of self-test requests to which only this server can respond correctly. */
export type Challenge = ReturnType<PublicCheck['begin']>;

/** The maximum number of requests in one challenge. The self-test sends about half as many. */
const mostQuestions = 16;
const mostBytes = 32 * 1024 * 1024;

/**
 * Proves that this process itself responds at the public address: each response contains an HMAC with a key that never
 * leaves the process. Only a few requests of an active challenge get such a response. All other requests get a 404, so
 * that strangers can't have their own strings signed or upload large bodies. `base`: returns the public origin.
 */
export function createPublicCheck({ base }: { base: () => string }) {
  const key = randomBytes(32);
  const live = new Map<string, { asked: number; readonly visitors: Set<string> }>();
  /** For each admitted request, the number of earlier requests in the same challenge. */
  const before = new WeakMap<FastifyRequest, number>();
  const proofOf = (nonce: string, seen: string): string =>
    createHmac('sha256', key).update(`${nonce}\n${seen}`).digest('base64url');

  function take(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const challenge = live.get(nonceOf(request));
    if (!challenge || challenge.asked >= mostQuestions) throw nothingHere();
    // Count the request before its body has arrived, so that slow bodies don't allow extra requests.
    before.set(request, challenge.asked);
    challenge.asked += 1;
    const visitor = visitorAddress(request);
    if (visitor !== undefined) challenge.visitors.add(visitor);
    const { name, value } = cookieOf(nonceOf(request));
    reply.header('cache-control', 'no-store');
    reply.header('set-cookie', `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`);
    // Send no Date header. If the client sees one, an intermediary added it.
    reply.raw.sendDate = false;
    done();
  }

  function answer(request: FastifyRequest, body: { bytes: number; digest: string }) {
    const nonce = nonceOf(request);
    const { authorization } = request.headers;
    const sight: Sight = {
      asked: before.get(request) ?? 0,
      authorization: authorization === undefined ? null : secretHash(authorization),
      visitor: visitorOf(request) !== undefined,
      ...body,
    };
    const seen = JSON.stringify(sight);
    return { seen, proof: proofOf(nonce, seen) };
  }

  // If these routes failed while the data folder is missing, the tunnel would seem broken and would be restarted.
  const config = { withoutData: true };

  function routes(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', take);
    app.addContentTypeParser('application/octet-stream', (_request, payload, parsed) =>
      parsed(null, payload),
    );

    app.get(checkPath, { config }, (request) => answer(request, { bytes: 0, digest: '' }));
    app.post(checkPath, { config: { ...config, upload: true } }, async (request) =>
      answer(request, await measured(request.body as Readable | undefined)),
    );
    app.get(`${checkPath}/redirect`, { config }, (request, reply) =>
      reply.redirect(redirectOf(base(), nonceOf(request)), 302),
    );
    app.get(`${checkPath}/page`, { config }, (request, reply) =>
      reply.type('text/html; charset=utf-8').send(checkPage(nonceOf(request))),
    );
    done();
  }

  return {
    routes: ((app, _options, done) => {
      void app.register(routes);
      done();
    }) satisfies FastifyPluginCallback,
    begin() {
      const nonce = newSecretText();
      const visitors = new Set<string>();
      live.set(nonce, { asked: 0, visitors });
      return {
        nonce,
        /** Reads the response to a request. Returns null if this server didn't send it, or if it was changed on the way. */
        sightIn(text: string): Sight | null {
          const { seen, proof } = formFields(jsonIn(text));
          if (typeof seen !== 'string' || typeof proof !== 'string') return null;
          return sameText(proof, proofOf(nonce, seen)) ? (JSON.parse(seen) as Sight) : null;
        },
        /**
         * Returns the IP addresses from which the tunnel received the challenge's requests. They are the public addresses
         * of this computer.
         */
        visitors: (): readonly string[] => [...visitors],
        /** Stops responding to this challenge. */
        end: (): void => void live.delete(nonce),
      };
    },
  };
}

/**
 * Returns the cookie that each response to a challenge sets. The cookie resembles those of the sign-in pages, but never
 * reaches a browser.
 */
export function cookieOf(nonce: string): { name: string; value: string } {
  return { name: '__Host-porchlight-check', value: nonce };
}

/** Returns the target of the redirect in a challenge. No client follows the redirect. `base`: the public origin. */
export function redirectOf(base: string, nonce: string): string {
  return `${base}${checkPath}?nonce=${nonce}&state=a%20b%2Bc`;
}

/**
 * Returns a page that people never see. It contains everything that intermediaries tend to rewrite: URLs, scripts and
 * white space.
 */
export function checkPage(nonce: string): string {
  const line = `<p>  ${nonce}  <a href="mailto:check@porchlight.example">check@porchlight.example</a></p>\n`;
  const head = '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Check</title></head>\n';
  return `${head}<body>\n<!-- kept -->\n${line.repeat(400)}<script>const kept = true;</script>\n</body>\n</html>\n`;
}

function nonceOf(request: FastifyRequest): string {
  const { nonce } = formFields(request.query);
  return typeof nonce === 'string' ? nonce : '';
}

/**
 * Returns the size and hash of a body without storing it.
 * @throws PorchlightError `invalid_request` (413)
 */
async function measured(body: Readable | undefined): Promise<{ bytes: number; digest: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body ?? []) {
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes > mostBytes)
      throw new PorchlightError('invalid_request', 'The upload is larger than the self-test accepts.', 413);
    hash.update(part);
  }
  return { bytes, digest: hash.digest('base64url') };
}
