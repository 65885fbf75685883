import { createHash, randomBytes } from 'node:crypto';
import type { OwnerApi } from '../contract/contract.ts';
import { ask } from '../owner/ask.ts';
import type { DemoApp } from './cast.ts';

/** An app of the demo, as a real one works: it signs in, keeps its tokens and posts. */
export interface DemoClient {
  /** Asks the owner to sign in and leaves the request waiting. Resolves with the address of the waiting page. */
  request(): Promise<string>;
  /** Signs in with the owner's approval. */
  signIn(): Promise<void>;
  /** Gets a new access token, as apps do once the last one has expired. */
  refresh(): Promise<void>;
  /** Creates a post and returns its address. */
  post(properties: Readonly<Record<string, readonly unknown[]>>): Promise<string>;
  remove(url: string): Promise<void>;
  /** Uploads a picture and returns its address. */
  upload(picture: Buffer, name: string): Promise<string>;
}

/** Creates an app of the demo. `base`: the public address; `owner`: approves its sign-in. */
export function createDemoClient(app: DemoApp, base: string, owner: OwnerApi): DemoClient {
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
    const page = await (await open(url.href)).text();
    const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const body = new URLSearchParams(
      fields.map(([, name = '', value = '']): [string, string] => [name, unescape(value)]),
    );
    const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? '';
    const asked = await expected(303, await open(unescape(action), { method: 'POST', body }));
    return asked.headers.get('location') ?? '';
  }

  async function redeem(fields: Record<string, string>): Promise<void> {
    const body = new URLSearchParams({ client_id: clientId, ...fields });
    const headers = { accept: 'application/json' };
    const response = await expected(200, await fetch(`${base}/token`, { method: 'POST', body, headers }));
    tokens = (await response.json()) as typeof tokens;
  }

  const authorized = (): Record<string, string> => ({ authorization: `Bearer ${tokens.access_token}` });

  async function micropub(content: unknown, status: number): Promise<string> {
    const headers = { ...authorized(), 'content-type': 'application/json' };
    const response = await fetch(`${base}/micropub`, {
      method: 'POST',
      headers,
      body: JSON.stringify(content),
    });
    return (await expected(status, response)).headers.get('location') ?? '';
  }

  return {
    request,
    async signIn() {
      const waiting = await request();
      const id = waiting.split('/').at(-1) ?? '';
      await ask(owner, 'signIns.approve', { id, scopes: app.scope.split(' ') });
      const back = await open(waiting);
      const code = new URL(back.headers.get('location') ?? base).searchParams.get('code') ?? '';
      await redeem({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
    },
    refresh: () => redeem({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
    post: (properties) => micropub({ type: ['h-entry'], properties }, 201),
    async remove(url) {
      await micropub({ action: 'delete', url }, 204);
    },
    async upload(picture, name) {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), name);
      const response = await fetch(`${base}/media`, { method: 'POST', headers: authorized(), body });
      return (await expected(201, response)).headers.get('location') ?? '';
    },
  };
}

/** Sends a webmention, as another site does. */
export async function sendWebmention(base: string, source: string, target: string): Promise<void> {
  const body = new URLSearchParams({ source, target });
  await expected(201, await fetch(`${base}/webmention`, { method: 'POST', body }));
}

async function expected(status: number, response: Response): Promise<Response> {
  if (response.status === status) return response;
  throw new Error(`The demo expected status ${status} and got ${response.status}: ${await response.text()}`);
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
