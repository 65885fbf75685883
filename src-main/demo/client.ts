import { createHash, randomBytes } from 'node:crypto';
import type { OwnerApi } from '../contract/contract.ts';
import { attributeOf, elementsOf, parseDocument } from '../untrusted/pages/page-document.ts';
import { ask } from '../app/ask.ts';
import type { DemoApp } from './cast.ts';

/**
 * The maximum number of times to load a sign-in page while waiting for the app's logo. On each load, the server waits
 * up to 0.8 s for the logo.
 */
const mostReloads = 100;

export type DemoClient = ReturnType<typeof createDemoClient>;

/**
 * Creates a demo app that behaves like a real app: it signs in, stores its tokens and creates posts. `base`:
 * Porchlight's public URL. `owner`: the API that approves the app's sign-in.
 */
export function createDemoClient(app: DemoApp, base: string, owner: OwnerApi) {
  const clientId = `https://${app.host}/`;
  const redirectUri = `${clientId}callback`;
  const verifier = randomBytes(32).toString('base64url');
  let cookie = '';
  let tokens = { access_token: '', refresh_token: '' };

  async function open(address: string, init: RequestInit = {}): Promise<Response> {
    const headers = { accept: 'text/html', 'user-agent': app.browser, cookie };
    const response = await fetch(new URL(address, base), { redirect: 'manual', ...init, headers });
    const [set] = response.headers.getSetCookie();
    cookie = set?.split(';', 1)[0] ?? cookie;
    return response;
  }

  /**
   * Starts a sign-in and leaves it waiting for the owner's approval. Resolves with the URL of the page that the user
   * sees while waiting.
   */
  async function request(): Promise<string> {
    const url = new URL('/auth', base);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: 'demo',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: app.scope,
    }).toString();
    let form = formOn(await (await open(url.href)).text());
    // Reload the page until it shows the app's logo. The server shows the logo only if it has been processed in time,
    // and processing takes longest for the first picture.
    for (let reloads = 1; !form.hasLogo && reloads < mostReloads; reloads += 1)
      form = formOn(await (await open(url.href)).text());
    const body = new URLSearchParams(form.fields);
    const asked = await expected(303, await open(form.action, { method: 'POST', body }));
    return asked.headers.get('location') ?? '';
  }

  async function redeem(fields: Record<string, string>): Promise<void> {
    const body = new URLSearchParams({ client_id: clientId, ...fields });
    const headers = { accept: 'application/json' };
    const response = await expected(200, await fetch(`${base}/token`, { method: 'POST', body, headers }));
    tokens = (await response.json()) as typeof tokens;
  }

  const authorized = () => ({ authorization: `Bearer ${tokens.access_token}` });

  /** Gets a new access token, as apps do once the previous one has expired. */
  const refresh = () => redeem({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });

  /** Takes the code of an approved sign-in, and exchanges it for tokens. `waiting`: the URL from `request`. */
  async function finish(waiting: string): Promise<void> {
    const back = await open(waiting);
    const code = new URL(back.headers.get('location') ?? base).searchParams.get('code') ?? '';
    await redeem({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
  }

  return {
    request,
    finish,
    /** Signs in and approves the sign-in as the owner. */
    async signIn(): Promise<void> {
      const waiting = await request();
      const id = waiting.split('/').at(-1) ?? '';
      await ask(owner, 'signIns.approve', { id, scopes: app.scope.split(' ') });
      await finish(waiting);
    },
    refresh,
    /**
     * Does what an app does when it starts: gets a new access token, and then requests the Micropub configuration or
     * the user's profile.
     */
    async use(): Promise<void> {
      await refresh();
      const question = app.scope.includes('create') ? '/micropub?q=config' : '/userinfo';
      await expected(200, await fetch(base + question, { headers: authorized() }));
    },
    /** Creates a post and returns its URL. */
    async post(properties: Readonly<Record<string, readonly unknown[]>>): Promise<string> {
      const headers = { ...authorized(), 'content-type': 'application/json' };
      const body = JSON.stringify({ type: ['h-entry'], properties });
      const response = await fetch(`${base}/micropub`, { method: 'POST', headers, body });
      return (await expected(201, response)).headers.get('location') ?? '';
    },
    /** Uploads a picture and returns its URL. */
    async upload(picture: Buffer, name: string): Promise<string> {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), name);
      const response = await fetch(`${base}/media`, { method: 'POST', headers: authorized(), body });
      return (await expected(201, response)).headers.get('location') ?? '';
    },
  };
}

/** Sends a webmention, as another site would. */
export async function sendWebmention(base: string, source: string, target: string): Promise<void> {
  const body = new URLSearchParams({ source, target });
  await expected(201, await fetch(`${base}/webmention`, { method: 'POST', body }));
}

/** Returns the form of a sign-in page, and whether the page already shows the app's logo. */
function formOn(page: string): { action: string; fields: [string, string][]; hasLogo: boolean } {
  const document = parseDocument(page);
  const elements = document ? elementsOf(document) : [];
  const named = (tag: string) => elements.filter(({ tagName }) => tagName === tag);
  const valueOf = (element: (typeof elements)[number] | undefined, name: string) =>
    (element && attributeOf(element, name)) ?? '';
  return {
    action: valueOf(named('form')[0], 'action'),
    fields: named('input').map((input) => [valueOf(input, 'name'), valueOf(input, 'value')]),
    hasLogo: named('img').length > 0,
  };
}

async function expected(status: number, response: Response): Promise<Response> {
  if (response.status === status) return response;
  throw new Error(`The demo expected status ${status} and got ${response.status}: ${await response.text()}`);
}
