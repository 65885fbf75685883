import { openBrowser } from '../../support/browser.ts';
import {
  authorizationUrl,
  post,
  redeem,
  signIn,
  signInRequest,
  type Asked,
  type Tokens,
} from '../../support/sign-in.ts';
import type { Bare, BareRoute } from '../bare.ts';
import { filled, fromTunnel } from '../load.ts';
import type { Contender } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import { costOf, requestContender, routesOf, type RequestRow } from './request-row.ts';
import { measureOperation, type Scene } from './scene.ts';
import { secondsOf } from './verifying.ts';

/** How many sign-ins a round of a second has, because each has to be made before it is measured. */
const perSecondOfRound = 60;
const views = 20;

/** Returns an app's request page, opened by a visitor of its own each time. `port`: of the other sites. */
function viewRow(port: number): RequestRow {
  const request = signInRequest('', { client_id: appOf(port), redirect_uri: appOf(port), state: 'n' });
  const { pathname, search } = new URL(authorizationUrl('http://localhost', request));
  return {
    name: 'auth',
    title: 'GET /auth, second view',
    status: 200,
    requests: () => [
      {
        method: 'GET',
        path: `${pathname}${search.replace('state=n', 'state={n}')}`,
        headers: { ...fromTunnel, accept: 'text/html' },
      },
    ],
  };
}

const appOf = (port: number) => `http://127.0.0.1:${port}/app`;

/** The baseline of the token endpoint: it verifies the code or refresh token, and commits a grant. */
const tokenRoute: BareRoute = {
  method: 'POST',
  url: '/token',
  status: 200,
  headers: { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' },
  // As long as the tokens and the profile.
  body: JSON.stringify({ access_token: 'x'.repeat(600) }),
  work: { kind: 'tokens', tokens: 1, bytes: 500 },
};

/** Measures request pages, the token endpoint, and whole sign-ins of one app with the owner's approval. */
export async function measureSigning(
  scene: Scene,
  now: Server,
  isRequested: (row: string) => boolean,
): Promise<Line[]> {
  const { port } = scene.sources;
  const amount = Math.ceil(perSecondOfRound * scene.seconds);
  const lines: Line[] = [];
  const view = viewRow(port);
  if (isRequested(view.name)) {
    const line = await measureOperation(view, scene, (target) =>
      requestContender(view, { target, server: now, generator: scene.generator }),
    );
    lines.push(line, await fetchesOf(view, scene));
  }
  const exchange = { name: 'exchange', title: 'token exchange', amount };
  if (isRequested(exchange.name))
    lines.push(await measureOperation(exchange, scene, (target) => exchanging(target, scene)));
  const refresh = { name: 'refresh', title: 'token refresh', amount };
  if (isRequested(refresh.name))
    lines.push(await measureOperation(refresh, scene, (target) => refreshing(target, scene)));
  const whole = { name: 'sign-in', title: 'whole sign-in', amount };
  if (isRequested(whole.name))
    lines.push(await measureOperation(whole, scene, (target) => signingIn(target, port)));
  return lines;
}

/** Returns the routes that the baseline needs for these rows. */
export const signingRoutes = async (server: Server, port: number): Promise<BareRoute[]> => [
  tokenRoute,
  ...(await routesOf(viewRow(port), server)),
];

/** Counts how often each server fetches the app's page again for a view of its request page. */
async function fetchesOf(view: RequestRow, { servers, generator, sources }: Scene): Promise<Line> {
  const fetched = async () => Number(await (await fetch(`http://127.0.0.1:${sources.port}/fetches`)).text());
  const value: Record<string, number> = {};
  // Views at the same time would share a fetch.
  const oneByOne = { ...view, connections: 1 };
  for (const server of servers) {
    const contender = await requestContender(oneByOne, { target: server, server, generator });
    const before = await fetched();
    await contender.run(views);
    value[server.name] = ((await fetched()) - before) / views;
  }
  return { name: 'auth-fetches', title: 'the same, fetches of the app', unit: 'fetches', value };
}

/** Sends as many requests as it is asked to, one after the other, to the baseline's token endpoint. */
function bareTokens({ name, url, pid }: Bare, { generator }: Scene): Contender {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', path: tokenRoute.url, headers, body: 'code=x' } as const;
  const order = { url, requests: [request], connections: 1, expected: { status: 200, bytes: 0 } };
  return { name, run: (amount) => costOf(pid, () => generator.send({ ...order, amount }), amount) };
}

/** A person who signs in to the app, and whom the owner approves. */
function personOf({ house, url }: Server, port: number) {
  const asked: Asked = { base: url, call: (method, params) => house.call(method, params) };
  const request = signInRequest('', { client_id: appOf(port), redirect_uri: appOf(port) });
  const { headers } = filled({ method: 'GET', path: '', headers: fromTunnel }, people++);
  const code = () => signIn(asked, request, {}, openBrowser(url, headers));
  return { request, asked, code };
}

/** Each comes from a network of their own. The load generator doesn't reach these numbers. */
let people = 8_000_000;

async function tokensIn(response: Response): Promise<Tokens> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/token answered ${response.status}: ${text}`);
  return JSON.parse(text) as Tokens;
}

/** Measures the exchange of codes for tokens, without the sign-ins before it. */
async function exchanging(target: Bare | Server, scene: Scene): Promise<Contender> {
  if (target.name === 'bare') return Promise.resolve(bareTokens(target, scene));
  return {
    name: target.name,
    async run(amount) {
      const exchanges: (() => Promise<Response>)[] = [];
      for (let number = 0; number < amount; number += 1) {
        const { asked, request, code } = personOf(target, scene.sources.port);
        const answer = await code();
        exchanges.push(() => redeem(asked, request, answer));
      }
      const work = async () => {
        for (const exchange of exchanges) await tokensIn(await exchange());
      };
      return costOf(target.pid, () => secondsOf(work), amount);
    },
  };
}

/** Measures one app that refreshes its tokens again and again. */
async function refreshing(target: Bare | Server, scene: Scene): Promise<Contender> {
  if (target.name === 'bare') return Promise.resolve(bareTokens(target, scene));
  const { asked, request, code } = personOf(target, scene.sources.port);
  let tokens = await tokensIn(await redeem(asked, request, await code()));
  const work = async (amount: number) => {
    for (let number = 0; number < amount; number += 1)
      tokens = await tokensIn(
        await post(asked, '/token', {
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token,
          client_id: request.clientId,
        }),
      );
  };
  return {
    name: target.name,
    run: (amount) => costOf(target.pid, () => secondsOf(() => work(amount)), amount),
  };
}

/** Measures everything from the app's request to its tokens. There is nothing to compare it with. */
function signingIn(target: Bare | Server, port: number): Promise<Contender | undefined> {
  if (target.name === 'bare') return Promise.resolve(undefined);
  const work = async (amount: number) => {
    for (let number = 0; number < amount; number += 1) {
      const { asked, request, code } = personOf(target, port);
      await tokensIn(await redeem(asked, request, await code()));
    }
  };
  return Promise.resolve({
    name: target.name,
    run: (amount: number) => costOf(target.pid, () => secondsOf(() => work(amount)), amount),
  });
}
