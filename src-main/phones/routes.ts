import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { perMinute } from '../http/client-address.ts';
import { invalidRequest, nothingHere } from '../http/errors.ts';
import { pageAnswer } from '../http/page.ts';
import { noStoreHeaders } from '../http/response-headers.ts';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';
import { type createApprovals, PhoneDecision } from './approvals.ts';
import { Assertion, Attestation, Bytes } from './assertion.ts';
import { phonePage } from './phone-page.ts';
import type { Phones } from './phones.ts';

interface PhoneRouteDeps {
  /** Whether the owner lets phones approve. Otherwise, these addresses don't exist. */
  readonly isOn: () => boolean;
  readonly phones: Phones;
  readonly approvals: ReturnType<typeof createApprovals>;
  /** Called when a phone waits to be confirmed. */
  readonly arrived: () => void;
  /** Returns the key with which a browser asks for notifications; null if the owner wants none. */
  readonly pushKey: () => Promise<string | null>;
  readonly pushRoutes: FastifyPluginCallback;
}

const cookieName = '__Host-porchlight-phone';
/** Browsers keep a cookie for 400 days at most. */
const maxAge = 400 * 86_400;
const cookieOptions = { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge } as const;

const Arrival = closed({ name: Type.String({ maxLength: 200 }), passkey: Attestation });
const Opening = closed({ question: Bytes(200), passkey: Assertion });

/** A page asks every three seconds. */
const looks = perMinute({ visitor: 60, nearby: 600 });
const acts = perMinute({ visitor: 20, nearby: 240 });
const mostBytes = 16_384;

/** Returns what a request says. @throws PorchlightError `invalid_request` */
function bodyOf<S extends TSchema>(schema: S, request: FastifyRequest): Static<S> {
  const body = typeof request.body === 'string' ? jsonIn(request.body) : undefined;
  if (!isValid(schema, body)) throw invalidRequest('This server can’t read the request.');
  return body;
}

/** Creates the page on which a phone is paired and approves. It is the same for everybody, whatever waits. */
export function phoneRoutes(deps: PhoneRouteDeps): FastifyPluginCallback {
  const { isOn, phones, approvals, arrived, pushKey } = deps;
  const { headers, type, text } = pageAnswer(phonePage);
  const pageHeaders = {
    ...headers,
    ...noStoreHeaders,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
  };
  const remember = (reply: FastifyReply, value: string) => reply.setCookie(cookieName, value, cookieOptions);

  function endpoint(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (_request, reply, next) => {
      if (!isOn()) throw nothingHere();
      reply.headers(noStoreHeaders);
      next();
    });
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    app.get('/phone', { config: { page: true } }, (_request, reply) =>
      reply.headers(pageHeaders).type(type).send(text),
    );
    app.get('/phone/waiting', { config: looks }, async (request) => {
      if (!phones.withCookie(request.cookies[cookieName]))
        throw new PorchlightError('unauthorized', 'Use the passkey of this phone first.', 401);
      return { signIns: approvals.shown(request), pushKey: await pushKey() };
    });
    const limits = { config: acts, bodyLimit: mostBytes };
    app.post('/phone/pair', limits, (request, reply) => {
      const { name, passkey } = bodyOf(Arrival, request);
      remember(reply, phones.arrive(passkey, name));
      arrived();
      return { state: 'waiting' };
    });
    app.get('/phone/question', { config: acts }, () => ({ question: phones.question() }));
    app.post('/phone/open', limits, async (request, reply) => {
      const { question, passkey } = bodyOf(Opening, request);
      remember(reply, await phones.open(passkey, question));
      return { state: 'open' };
    });
    app.post('/phone/decide', limits, (request) => approvals.decide(bodyOf(PhoneDecision, request), request));
    done();
  }

  return (app, _options, done) => {
    void app.register(cookie);
    void app.register(endpoint);
    void app.register(deps.pushRoutes);
    done();
  };
}

/** Returns the cookie of a phone. */
export const phoneCookie = (request: FastifyRequest): string | undefined => request.cookies[cookieName];
