import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { cloudflareCalls, type Answer, type Call } from './fake-cloudflare-calls.ts';
import { cloudflareState, type CloudflareState } from './fake-cloudflare-state.ts';

/** How a request goes wrong. */
export interface Trouble {
  /** Matches `METHOD path` of the requests that fail. */
  readonly on: RegExp;
  /** How many of them fail; all by default. */
  readonly times?: number;
  /** Whether the request still has its effect, so that only its answer is lost. */
  readonly afterEffect?: boolean;
  /** The answer; `slow`: none at all, `hangUp`: the connection ends, `nonsense`: a page of HTML. */
  readonly answer:
    | 'slow'
    | 'hangUp'
    | 'nonsense'
    | { status: number; code?: number; message?: string; retryAfter?: number; location?: string };
}

/** Stands in for Cloudflare's API. Each request is checked against the documented shapes. */
export interface FakeCloudflareApi extends CloudflareState {
  /** The base address, for PORCHLIGHT_CLOUDFLARE_API. */
  readonly base: string;
  /** The only valid token. */
  readonly token: string;
  /** The requests so far: `METHOD path`. */
  readonly requests: string[];
  /** What was wrong with the requests. Tests expect it to stay empty. */
  readonly problems: string[];
  /** The permissions that the token lacks. */
  readonly lacks: Set<string>;
  /** `active`, `expired` or `disabled`. */
  tokenStatus: string;
  /** Whom the token belongs to. That of an account is verified in the account. */
  tokenOwner: 'user' | 'account';
  /** Makes requests fail, from now on. */
  trouble(...troubles: Trouble[]): void;
  /** Called with each request after it had its effect, before it is answered. */
  onEffect: (line: string) => Promise<void>;
  close(): Promise<void>;
}

/** Starts the stand-in with one account that has one domain, `example.com`. */
export async function fakeCloudflareApi(): Promise<FakeCloudflareApi> {
  const state = cloudflareState();
  const token = 'Fake-Token_0123456789abcdefghijklmnopqrst';
  const requests: string[] = [];
  const problems: string[] = [];
  let troubles: { rule: Trouble; left: number }[] = [];

  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url ?? '', 'http://fake');
    const line = `${request.method ?? ''} ${url.pathname}`;
    requests.push(line);
    const trouble = troubles.find(({ rule, left }) => left > 0 && rule.on.test(line));
    if (trouble) trouble.left -= 1;
    if (trouble && trouble.rule.afterEffect !== true) {
      go(response, trouble.rule);
      return;
    }
    const answer = await answerTo(request, url, body);
    await fake.onEffect(line);
    if (trouble) go(response, trouble.rule);
    else send(response, answer);
  }

  async function answerTo(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    const refused = refusalOf(request, url);
    if (refused) return refused;
    const call = calls.find(({ matches }) => matches(request.method ?? '', url.pathname));
    if (!call) {
      problems.push(`${request.method ?? ''} ${url.pathname} is not a documented call`);
      return { status: 404, code: 7003, message: 'Could not route to your request.' };
    }
    if (call.permission !== null && fake.lacks.has(call.permission))
      return { status: 403, code: 10000, message: 'Authentication error' };
    const type = request.headers['content-type'] ?? '';
    return await call.answer({ url, body, type });
  }

  function refusalOf(request: IncomingMessage, url: URL): Answer | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined || !/^Bearer \S+$/.test(authorization)) {
      problems.push(`${url.pathname} has no API token`);
      return { status: 400, code: 6003, message: 'Invalid request headers' };
    }
    if (authorization === `Bearer ${token}`) return undefined;
    return url.pathname === '/user/tokens/verify'
      ? { status: 401, code: 1000, message: 'Invalid API Token' }
      : { status: 403, code: 9109, message: 'Invalid access token' };
  }

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const fake: FakeCloudflareApi = Object.assign(state, {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requests,
    problems,
    tokenStatus: 'active',
    tokenOwner: 'user' as const,
    lacks: new Set<string>(),
    trouble: (...rules: Trouble[]) => {
      troubles = rules.map((rule) => ({ rule, left: rule.times ?? Infinity }));
    },
    onEffect: () => Promise.resolve(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  const calls: readonly Call[] = cloudflareCalls(fake);
  return fake;
}

/** Lets a request fail. */
function go(response: ServerResponse, { answer }: Trouble): void {
  if (answer === 'slow') return;
  if (answer === 'hangUp') response.destroy();
  else if (answer === 'nonsense') response.end('<html><title>Nonsense</title></html>');
  else {
    if (answer.retryAfter !== undefined) response.setHeader('retry-after', answer.retryAfter);
    if (answer.location !== undefined) response.setHeader('location', answer.location);
    send(response, { code: 1, message: 'Failed', ...answer });
  }
}

function send(response: ServerResponse, answer: Answer): void {
  const isGood = 'result' in answer;
  const { status, ...rest } = isGood ? { status: 200, ...answer } : answer;
  response.writeHead(status, { 'content-type': 'application/json' });
  const errors = 'code' in rest ? [{ code: rest.code, message: rest.message }] : [];
  const result = 'result' in rest ? rest.result : null;
  const info = 'pages' in rest && rest.pages !== undefined && { result_info: rest.pages };
  response.end(JSON.stringify({ success: isGood, errors, messages: [], result, ...info }));
}
