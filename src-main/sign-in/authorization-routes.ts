import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { perMinute, visitorOf } from '../http/client-address.ts';
import { errorBody } from '../http/errors.ts';
import { formFields, requiredField } from '../http/form.ts';
import { sendPage } from '../http/page.ts';
import { newSecretText, sameText } from '../platform/secrets.ts';
import type { AuthorizationRequest, Query, RequestVerdict } from './authorization-request.ts';
import {
  faultyPage,
  overPage,
  refusedPage,
  replacedPage,
  requestPage,
  waitingPage,
} from './authorization-views.ts';
import { codeSeconds } from './codes.ts';
import { redirectTo } from './client-information.ts';
import type { SignInAnswer, Visit, WaitingRoom } from './waiting-room.ts';

export interface AuthorizationDeps {
  readonly issuer: () => string;
  readonly me: () => string;
  /**
   * Checks an authorization request. `step`: `shown` for showing the request page, `asked` when its button is pressed.
   * The second step may reuse the client information from the first. `visitor`: the visitor's network.
   */
  readonly check: (
    query: Query,
    step: 'shown' | 'asked',
    visitor: string | undefined,
  ) => Promise<RequestVerdict>;
  /** Whether the owner lets phones approve. */
  readonly hasPhones: () => boolean;
  readonly warningsOf: (request: AuthorizationRequest) => string[];
  readonly waitingRoom: WaitingRoom;
  /** Issues the code for an approved request. */
  readonly issueCode: (visit: Visit, approval: SignInAnswer) => string;
}

/** The cookie that ties a sign-in to its browser. Browsers don't send it when another site submits a form. */
const cookieName = '__Host-porchlight';
const cookieOptions = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;

/** How long a request waits for the owner's decision, in ms. Cloudflare aborts requests after 100 seconds. */
const longPollMs = 25_000;

/**
 * The rate limits for showing a request page and for pressing its button. To show a request page, this server fetches a
 * page that a stranger chose. Pressing the button notifies the owner.
 */
const viewLimit = perMinute({ visitor: 30, nearby: 600 });
const bellLimit = perMinute({ visitor: 10, nearby: 120 });
/**
 * A waiting page needs two or three requests a minute, and one more after each interruption of the connection. The
 * limits allow for many open pages on one network.
 */
const pollLimit = perMinute({ visitor: 60, nearby: 600 });

type OfVisit = FastifyRequest<{ Params: { id: string } }>;

/** The pages of the authorization endpoint (IndieAuth 5.2): the request page and the waiting page. */
class SignInPages {
  readonly #deps: AuthorizationDeps;
  readonly #proofKey = createSecretKey(randomBytes(32));

  constructor(deps: AuthorizationDeps) {
    this.#deps = deps;
  }

  /** Sends the request page. */
  async show(request: FastifyRequest, reply: FastifyReply) {
    const query = request.raw.url?.split('?').slice(1).join('?') ?? '';
    const verdict = await this.#judged(request, query, 'shown');
    if (verdict.kind !== 'good') return this.#sendProblem(reply, verdict);
    const browser = browserOf(request) ?? newSecretText();
    reply.setCookie(cookieName, browser, cookieOptions);
    const page = requestPage({
      request: verdict.request,
      warnings: this.#deps.warningsOf(verdict.request),
      me: this.#deps.me(),
      query,
      proof: this.#proofFor(browser, query),
      hasPhones: this.#deps.hasPhones(),
    });
    return sendPage(reply, 200, page);
  }

  /** Lets a sign-in wait for the owner, after its button was pressed on the request page. */
  async ask(request: FastifyRequest, reply: FastifyReply) {
    const form = formFields(request.body);
    const query = requiredField(form, 'request');
    const browser = browserOf(request);
    if (browser === undefined || !sameText(requiredField(form, 'proof'), this.#proofFor(browser, query))) {
      throw new PorchlightError(
        'forbidden',
        'This page has expired, or your browser blocks cookies. Go back to the app and sign in again.',
        403,
      );
    }
    const verdict = await this.#judged(request, query, 'asked');
    if (verdict.kind !== 'good') return this.#sendProblem(reply, verdict);
    const device = deviceOf(request.headers['user-agent']);
    const visit = this.#deps.waitingRoom.enter(verdict.request, browser, visitorOf(request), device);
    return reply.redirect(`/auth/requests/${visit.id}`, 303);
  }

  /** Sends the waiting page, or the way back to the app once the sign-in has an outcome. */
  async wait(request: OfVisit, reply: FastifyReply) {
    const { id } = request.params;
    const browser = browserOf(request) ?? '';
    const found = this.#deps.waitingRoom.ofBrowser(id, browser);
    if (!found) return sendPage(reply, 404, overPage());
    const { visit, answer } = found;
    if (!answer) {
      const page = waitingPage({
        visit,
        cancelProof: this.#proofFor(browser, cancelOf(id)),
        wayBack: this.#answerFor(visit, refusalWords.cancelled),
        hasPhones: this.#deps.hasPhones(),
      });
      return sendPage(reply, 200, page);
    }
    const location = this.#wayBack(visit, () =>
      answer.outcome === 'approved'
        ? { code: this.#deps.issueCode(visit, answer) }
        : refusalOf(answer, answer.outcome),
    );
    if (location === null) return sendPage(reply, 404, overPage());
    if (answer.madeRoom === true) return sendPage(reply, 410, replacedPage(visit, location));
    return reply.header('cache-control', 'no-store').redirect(location, 302);
  }

  async cancel(request: OfVisit, reply: FastifyReply) {
    const { id } = request.params;
    const browser = browserOf(request) ?? '';
    const found = this.#deps.waitingRoom.ofBrowser(id, browser);
    if (!found) return sendPage(reply, 404, overPage());
    const proof = requiredField(formFields(request.body), 'proof');
    if (!sameText(proof, this.#proofFor(browser, cancelOf(id))))
      throw new PorchlightError('forbidden', 'Reload the sign-in page, then press Cancel again.', 403);
    this.#deps.waitingRoom.cancel(id);
    // Later calls of `wayBack` return the same URL, so an approval at the same moment can't give the app a code.
    const location = this.#wayBack(found.visit, () => refusalWords.cancelled);
    if (location === null) return sendPage(reply, 404, overPage());
    return reply.header('cache-control', 'no-store').redirect(location, 303);
  }

  /**
   * Returns whether a sign-in still waits, once it has an outcome or after a while. `isPatient`: false for a page that
   * could not reach the server before. It gets a response at once, which shows that the server is back.
   */
  async state(request: OfVisit, reply: FastifyReply, isPatient: boolean) {
    const { waitingRoom } = this.#deps;
    const browser = browserOf(request) ?? '';
    const { id } = request.params;
    if (isPatient && waitingRoom.ofBrowser(id, browser))
      await waitingRoom.settled(id, longPollMs, abortOf(reply));
    const found = waitingRoom.ofBrowser(id, browser);
    // After a 404, the page shows a link back to the app, because this server no longer has the sign-in.
    reply.code(found ? 200 : 404).header('cache-control', 'no-store');
    if (!found) return { state: 'over', ...errorBody('not_found') };
    return { state: found.answer ? 'over' : 'waiting' };
  }

  async #judged(request: FastifyRequest, text: string, step: 'shown' | 'asked'): Promise<RequestVerdict> {
    try {
      return await this.#deps.check(queryOf(text), step, visitorOf(request));
    } catch (error) {
      if (error instanceof PorchlightError && error.code === 'invalid_client')
        return { kind: 'refused', message: error.message };
      throw error;
    }
  }

  #sendProblem(reply: FastifyReply, verdict: Exclude<RequestVerdict, { kind: 'good' }>) {
    if (verdict.kind === 'refused') return sendPage(reply, 400, refusedPage(verdict));
    const { error, message, state, redirectUri } = verdict;
    const iss = this.#deps.issuer();
    const wayBack = redirectTo(redirectUri, { ...errorBody(error, message), state, iss });
    return sendPage(reply, 400, faultyPage({ ...verdict, wayBack }));
  }

  #proofFor(browser: string, query: string): string {
    return createHmac('sha256', this.#proofKey).update(`${browser}\n${query}`).digest('base64url');
  }

  /** Returns the URL that takes the browser back to the app with a response. */
  #answerFor({ request }: Visit, answer: Record<string, string>): string {
    return redirectTo(request.redirectUri, { ...answer, state: request.state, iss: this.#deps.issuer() });
  }

  /** Returns the one way back of a sign-in with an outcome; see WaitingRoom.wayBack. */
  #wayBack(visit: Visit, answer: () => Record<string, string>): string | null {
    return this.#deps.waitingRoom.wayBack(visit.id, codeSeconds * 1000, () =>
      this.#answerFor(visit, answer()),
    );
  }
}

/** Creates the routes of the authorization endpoint (IndieAuth 5.2). */
export function authorizationRoutes(deps: AuthorizationDeps): FastifyPluginCallback {
  const pages = new SignInPages(deps);
  return (app, _options, done) => {
    app.register(cookie);
    app.get('/auth', { config: { page: true, ...viewLimit } }, (request, reply) =>
      pages.show(request, reply),
    );
    app.post('/auth/requests', { config: { page: true, ...bellLimit } }, (request, reply) =>
      pages.ask(request, reply),
    );
    app.get<{ Params: { id: string } }>('/auth/requests/:id', { config: { page: true } }, (request, reply) =>
      pages.wait(request, reply),
    );
    app.post<{ Params: { id: string } }>(
      '/auth/requests/:id/cancel',
      { config: { page: true, ...bellLimit } },
      (request, reply) => pages.cancel(request, reply),
    );
    app.get<{ Params: { id: string }; Querystring: { now?: unknown } }>(
      '/auth/requests/:id/state',
      { config: pollLimit },
      (request, reply) => pages.state(request, reply, request.query.now === undefined),
    );
    done();
  };
}

/** The errors for the app when a sign-in was not approved (RFC 6749, 4.1.2.1). */
const refusalWords = {
  denied: errorBody('access_denied', 'The owner denied this sign-in.'),
  expired: errorBody('access_denied', 'Nobody approved this sign-in in time.'),
  cancelled: errorBody('access_denied', 'This sign-in was cancelled in the browser.'),
  madeRoom: errorBody('temporarily_unavailable', 'Too many sign-ins were waiting.'),
};

function refusalOf({ madeRoom, cancelled }: SignInAnswer, outcome: 'denied' | 'expired') {
  if (madeRoom === true) return refusalWords.madeRoom;
  return refusalWords[cancelled === true ? 'cancelled' : outcome];
}

/**
 * Returns the text from which the proof of a cancel request is calculated. The proof of a sign-in is calculated from
 * the query of its URL. That query never starts with `cancel` and a line break, so neither proof can be used as the
 * other.
 */
function cancelOf(id: string): string {
  return `cancel\n${id}`;
}

/** Returns the secret in the browser's cookie, or undefined if the cookie is missing or malformed. */
export function browserOf(request: FastifyRequest): string | undefined {
  const value = request.cookies[cookieName];
  return value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

/**
 * Returns a signal that aborts when this response closes. The socket's `close` event comes too late, because the tunnel
 * reuses a socket for thousands of requests.
 */
function abortOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

/** Returns a query's parameters. The value of a parameter that appears more than once is a list. */
function queryOf(text: string): Query {
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
}

/**
 * Browser names, each with a pattern for the User-Agent header. Most browsers' headers also name other browsers, so the
 * first match counts.
 */
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

/** How many characters of the header to read. Browsers send fewer. */
const longestUserAgent = 1000;

/**
 * Returns the browser and system that a User-Agent header names, such as "Firefox on Windows"; null if it names
 * neither. Strangers choose the header, so the result contains only names from the lists above.
 */
export function deviceOf(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, longestUserAgent);
  const nameIn = (table: typeof browsers) => table.find(([mark]) => mark.test(text))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined || system === undefined) return browser ?? system ?? null;
  return `${browser} on ${system}`;
}
