import { expect } from 'vitest';
import { matchCodeOf, openBrowser, type Browser } from './browser.ts';
import { pkcePair } from './client-app.ts';
import type { Porchlight } from './porchlight.ts';

/** A server and its owner, wherever they run. */
export type Asked = Pick<Porchlight, 'base' | 'call'>;

/** A sign-in as a client starts it. A value of undefined leaves the parameter out. */
export interface SignInRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly parameters: Record<string, string | undefined>;
}

export function signInRequest(
  clientOrigin: string,
  parameters: Record<string, string | undefined> = {},
): SignInRequest {
  const { verifier, challenge } = pkcePair();
  const clientId = parameters['client_id'] ?? `${clientOrigin}/`;
  const redirectUri = parameters['redirect_uri'] ?? `${clientOrigin}/callback`;
  return {
    clientId,
    redirectUri,
    verifier,
    parameters: {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: 'a-state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'profile create',
      ...parameters,
    },
  };
}

export function authorizationUrl(base: string, { parameters }: SignInRequest): string {
  const url = new URL('/auth', base);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** A sign-in that waits for the owner: its browser, the waiting page's address, the code that it shows. */
export interface Waiting {
  readonly browser: Browser;
  readonly address: string;
  readonly matchCode: string;
  readonly id: string;
}

/** Goes to /auth, presses the button, follows to the waiting page. */
export async function ask(
  { base }: { base: string },
  request: SignInRequest,
  browser = openBrowser(base),
): Promise<Waiting> {
  const requestPage = await browser.open(authorizationUrl(base, request));
  const text = await requestPage.text();
  if (requestPage.status !== 200)
    throw new Error(`The request page answered ${requestPage.status}:\n${text}`);
  const pressed = await browser.press(text);
  const address = pressed.headers.get('location') ?? '';
  const waitingPage = await (await browser.open(address)).text();
  return { browser, address, matchCode: matchCodeOf(waitingPage), id: address.split('/').at(-1) ?? '' };
}

/** Where the browser is sent at last, when somebody else answers. */
export async function answerOf({ browser, address }: Waiting): Promise<URL> {
  const open = () => browser.open(address);
  await expect.poll(async () => (await open()).status, { interval: 200 }).toBe(302);
  return new URL((await open()).headers.get('location') ?? '');
}

export interface Approval {
  readonly scopes?: string[];
  readonly expiresIn?: number;
}

/** The whole of it: asks, the owner approves, the browser is sent back. Resolves with the parameters it carries. */
export async function signIn(
  porchlight: Asked,
  request: SignInRequest,
  approval: Approval = {},
  browser = openBrowser(porchlight.base),
): Promise<URLSearchParams> {
  const waiting = await ask(porchlight, request, browser);
  const [pending] = (await porchlight.call('signIns.list', {})).filter(({ id }) => id === waiting.id);
  if (!pending) throw new Error('The sign-in does not wait.');
  await porchlight.call('signIns.approve', { id: pending.id, scopes: pending.scopes, ...approval });
  const back = await waiting.browser.open(waiting.address);
  return new URL(back.headers.get('location') ?? '').searchParams;
}

/** Redeems the code of an answer at `/token` or `/auth`. */
export function redeem(
  porchlight: { base: string },
  request: SignInRequest,
  answer: URLSearchParams,
  { at = '/token', ...changes }: { at?: string } & Record<string, string | undefined> = {},
): Promise<Response> {
  return post(porchlight, at, {
    grant_type: 'authorization_code',
    code: answer.get('code') ?? '',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    code_verifier: request.verifier,
    ...changes,
  });
}

/** Posts a form; a value of undefined leaves the field out. */
export function post(
  { base }: { base: string },
  address: string,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value);
  return fetch(new URL(address, base), {
    method: 'POST',
    body,
    headers: { accept: 'application/json', ...headers },
  });
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly scope: string;
  readonly me: string;
  readonly expires_in: number;
  readonly profile?: Record<string, string>;
}

/** Signs in and redeems: the tokens of a fresh grant. */
export async function tokensFor(
  porchlight: Asked,
  request: SignInRequest,
  approval: Approval = {},
): Promise<Tokens> {
  const response = await redeem(porchlight, request, await signIn(porchlight, request, approval));
  if (response.status !== 200)
    throw new Error(`/token answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Tokens;
}
