import { createHash } from 'node:crypto';
import type { FastifyPluginCallback } from 'fastify';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import type { Common } from '../http/common.ts';
import { formFields } from '../http/form.ts';
import { html, type Html } from '../http/html.ts';
import { type Page, sendPage } from '../http/page.ts';
import { endpointsOf, issuerOf } from '../http/server-metadata.ts';
import { hostIsLoopback } from '../platform/address.ts';
import { FetchError } from '../platform/guarded-fetch.ts';
import { newSecretText, sameText } from '../platform/secrets.ts';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** The path of the test app's pages, below the public address. */
const testPath = '/test-sign-in';
/** The only scope that the test app requests and can be granted. */
const scope = 'profile';
const keptMs = 600_000;
/** The maximum number of tests to keep. Each open window that offers the test starts a new test every ten minutes. */
const mostKept = 5;

/** The response of the authorization endpoint, which the test app receives (IndieAuth 5.3.2). */
const identity = Type.Object({
  me: Type.String({ maxLength: 2048 }),
  profile: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String({ maxLength: 500 })),
      photo: Type.Optional(Type.String({ maxLength: 2048 })),
    }),
  ),
});

type TestOutcome =
  | { readonly kind: 'signedIn'; readonly me: string; readonly name: string; readonly photo: string }
  | { readonly kind: 'declined' }
  | { readonly kind: 'failed'; readonly message: string };

/** A test sign-in that the owner's window started. */
interface TestSignIn {
  /** The test app's own URL, which is also its client identifier. Only the owner's window and browser know it. */
  readonly clientId: string;
  readonly redirectUri: string;
  readonly base: string;
  readonly state: string;
  readonly challenge: string;
  readonly verifier: string;
  readonly expiresAt: number;
  ended?: Promise<TestOutcome>;
}

type TestSignInDeps = Pick<Common, 'base' | 'profile' | 'fetch' | 'clock' | 'allowPrivate'>;

/**
 * The app for the test sign-in of the setup wizard. The app runs an authorization code flow with PKCE
 * (IndieAuth 5) against the public address. It redeems the code at the authorization endpoint, which returns the
 * profile of the person who signed in and grants no access. Nobody else can redeem the code, because only the app has
 * the PKCE verifier.
 */
export class TestSignIns {
  readonly #options: TestSignInDeps;
  readonly #kept = new Map<string, TestSignIn>();

  constructor(options: TestSignInDeps) {
    this.#options = options;
  }

  /**
   * Starts a test sign-in. `url`: the page that the owner's browser opens.
   * @throws PorchlightError with a message for the owner.
   */
  begin(): { url: string; expiresAt: string } {
    const origin = this.#options.base();
    const { me } = this.#options.profile();
    if (me === null)
      throw new PorchlightError('not_set_up', 'Say who you are first: Porchlight doesn’t know your domain.');
    if (hostIsLoopback(new URL(origin).hostname) && !this.#options.allowPrivate)
      throw new PorchlightError('no_public_address', 'Set up a public address first.');
    this.#forgetOld();
    const id = newSecretText();
    const [state, verifier] = [newSecretText(), newSecretText()];
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const clientId = `${origin}${testPath}/${id}`;
    const redirectUri = `${clientId}/done`;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope,
      me,
    });
    const url = `${endpointsOf(origin).authorization}?${query.toString()}`;
    const expiresAt = this.#options.clock() + keptMs;
    const asked = { clientId, redirectUri, state, challenge };
    this.#kept.set(id, { ...asked, base: origin, verifier, expiresAt });
    return { url, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Returns the test sign-in with this id; undefined if there is none or it has expired. */
  find(id: string): TestSignIn | undefined {
    const test = this.#kept.get(id);
    return test && this.#isLive(test) ? test : undefined;
  }

  /**
   * Ends a test sign-in. `answer`: the query parameters in the URL at which the browser opened the test app's page.
   * Reloading that page changes nothing.
   */
  end(test: TestSignIn, answer: Readonly<Record<string, unknown>>): Promise<TestOutcome> {
    // A response to a different request must not end this test.
    if (typeof answer['state'] !== 'string' || !sameText(answer['state'], test.state))
      return Promise.resolve(failed('The answer belongs to another sign-in.'));
    test.ended ??= this.#outcomeOf(test, answer);
    return test.ended;
  }

  /**
   * For a request that names the test app as its client, returns why the request is refused; null if it matches a
   * running test. Also returns null for requests from other apps.
   */
  faultOf({ clientId, redirectUri, state, challenge, scopes }: AuthorizationRequest): string | null {
    const { origin, pathname } = new URL(clientId);
    if (origin !== new URL(this.#options.base()).origin || !isTestPath(pathname)) return null;
    const test = [...this.#kept.values()].find((one) => one.clientId === clientId && this.#isLive(one));
    const isOurs =
      test !== undefined &&
      test.ended === undefined &&
      test.redirectUri === redirectUri &&
      sameText(test.state, state) &&
      test.challenge === challenge &&
      scopes.join(' ') === scope;
    return isOurs
      ? null
      : 'This test sign-in is over, or Porchlight did not start it. Start a new one in Porchlight.';
  }

  #isLive(test: TestSignIn): boolean {
    return this.#options.clock() < test.expiresAt && test.base === this.#options.base();
  }

  #forgetOld(): void {
    for (const [id, test] of this.#kept)
      if (!this.#isLive(test) || this.#kept.size >= mostKept) this.#kept.delete(id);
  }

  async #redeem(test: TestSignIn, code: string): Promise<TestOutcome> {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: test.clientId,
      redirect_uri: test.redirectUri,
      code_verifier: test.verifier,
    }).toString();
    const answer = await this.#options.fetch(endpointsOf(test.base).authorization, {
      method: 'POST',
      accept: 'application/json',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      maxRedirects: 0,
    });
    const parsed = answer.status === 200 ? jsonIn(answer.text()) : null;
    if (!isValid(identity, parsed))
      return failed(`Your public address answered with status ${answer.status} and no profile.`);
    return {
      kind: 'signedIn',
      me: parsed.me,
      name: parsed.profile?.name ?? '',
      photo: parsed.profile?.photo ?? '',
    };
  }

  async #outcomeOf(
    test: TestSignIn,
    { state, iss, code, error }: Readonly<Record<string, unknown>>,
  ): Promise<TestOutcome> {
    if (iss !== issuerOf(test.base)) return failed('The answer names another server (iss).');
    if (error === 'access_denied') return { kind: 'declined' };
    if (typeof code !== 'string' || typeof state !== 'string') return failed('The answer has no code.');
    try {
      return await this.#redeem(test, code);
    } catch (cause) {
      if (!(cause instanceof FetchError)) throw cause;
      return failed(cause.detail);
    }
  }
}

/** Returns whether a path belongs to the test app. Decodes the path first, as the router does. */
function isTestPath(pathname: string): boolean {
  try {
    return /^\/+test-sign-in(\/|$)/i.test(decodeURIComponent(pathname));
  } catch {
    return false; // The router responds with 400 if a path can't be decoded.
  }
}

function failed(message: string): TestOutcome {
  return { kind: 'failed', message };
}

type OfTest = { Params: { id: string } };

/** Serves the test app's two pages. Without the id of a running test, the pages do nothing. */
export function testSignInRoutes(tests: TestSignIns): FastifyPluginCallback {
  return (app, _options, done) => {
    const page = { config: { page: true }, exposeHeadRoute: false };
    app.get<OfTest>(`${testPath}/:id`, page, async (request, reply) => {
      const test = tests.find(request.params.id);
      return test ? sendPage(reply, 200, appPage(test.clientId)) : sendPage(reply, 404, usedPage());
    });
    app.get<OfTest>(`${testPath}/:id/done`, page, async (request, reply) => {
      const test = tests.find(request.params.id);
      if (!test) return sendPage(reply, 404, usedPage());
      return sendPage(reply, 200, outcomePage(await tests.end(test, formFields(request.query))));
    });
    done();
  };
}

const appName = 'Porchlight test app';

/**
 * Returns the test app's own page. Its microformats (h-app) describe the app to the server that it signs in to. Servers
 * read the app's URL from the link in the heading.
 */
function appPage(clientId: string): Page {
  return {
    title: appName,
    body: html`<main>
      <div class="h-app">
        <h1><a class="u-url p-name" href="${clientId}">${appName}</a></h1>
      </div>
      <p>Porchlight’s owner signs in to this app to try out their address. The test starts in Porchlight.</p>
    </main>`,
  };
}

/** Returns the page that says how a test sign-in ended, in plain words. */
function outcomePage(outcome: TestOutcome): Page {
  switch (outcome.kind) {
    case 'signedIn':
      return page('Your sign-in works', signedIn(outcome));
    case 'declined':
      return page(
        'You declined the sign-in',
        html`<p>The test app asked who you are, and you said no in Porchlight.</p>
          <p>The app received nothing. To try again, start a new test in Porchlight.</p>`,
      );
    case 'failed':
      return page(
        'The test sign-in failed',
        html`<p>${outcome.message}</p>
          <p>You weren’t signed in. Check your public address in Porchlight, then start a new test.</p>`,
      );
  }
}

/** Returns the page for a test that is over, has expired or never started. */
function usedPage(): Page {
  return page(
    'This test is over',
    html`<p>Each test page works for one sign-in, within ten minutes. To try again, start a new test in Porchlight.</p>`,
  );
}

function signedIn({ me, name, photo }: Extract<TestOutcome, { kind: 'signedIn' }>): Html {
  return html`<ol>
      <li>This page, as a test app, asked who you are.</li>
      <li>You approved in Porchlight. Nobody else can do that.</li>
      <li>The app received only what is listed below.</li>
      <li>The app got no access: it can’t post or read anything.</li>
    </ol>
    <h2>What the app received</h2>
    <ul>
      <li><span>Address</span><code>${me}</code></li>
      <li><span>Name</span><bdi>${name === '' ? 'not shared' : name}</bdi></li>
      ${photo !== '' && html`<li><span>Photo</span><code>${photo}</code></li>`}
    </ul>
    <p>Every app that offers “Sign in with your domain” works like this. You can close this page.</p>`;
}

function page(title: string, body: Html): Page {
  return {
    title,
    body: html`<main>
      <h1>${title}</h1>
      ${body}
    </main>`,
  };
}
