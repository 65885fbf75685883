import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands between the world and the public app, and may do harm. */
export interface Edge {
  readonly origin: string;
  /** What it does from now on; passes everything on where nothing is set. */
  behave(behaviour: EdgeBehaviour): void;
  /** Method and path of everything that came by. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

export interface EdgeBehaviour {
  /** Answers instead of passing on, where it does. True: it has answered. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Request headers on their way in. */
  readonly headers?: (headers: IncomingMessage['headers']) => IncomingMessage['headers'];
  /** Bodies are cut after so many bytes. */
  readonly cutAfter?: number;
  /** Gives the first answer of an address for ever; as caches do, not to who shows a key (RFC 9111, 3.5). */
  readonly caches?: boolean;
  /** Goes where redirects lead, and shows that. */
  readonly follows?: boolean;
  /** Rewrites what comes back. */
  readonly rewrite?: (body: string, type: string) => string;
  /** Response headers that do not come back. */
  readonly drops?: readonly string[];
  /** Adds to what comes back. */
  readonly adds?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A small reverse proxy on loopback before `target`, as a tunnel's far end or an nginx would be. */
export async function openEdge(target: () => string): Promise<Edge> {
  const seen: string[] = [];
  const kept = new Map<string, Answer>();
  let behaviour: EdgeBehaviour = {};
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (behaviour.instead?.(request, response) === true) return;
    pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { caches, follows, rewrite, drops = [], adds, headers, cutAfter } = behaviour;
    const whole = await bytesOf(request);
    const body = cutAfter === undefined ? whole : whole.subarray(0, cutAfter);
    const passed = { ...(headers?.(request.headers) ?? request.headers) };
    delete passed['transfer-encoding'];
    delete passed['content-length'];
    if (body.length > 0) passed['content-length'] = String(body.length);
    const ask = (path: string) => fetched(target(), request.method ?? 'GET', path, passed, body);
    const address = request.url ?? '/';
    const mayKeep =
      caches === true && request.method === 'GET' && request.headers.authorization === undefined;
    const known = mayKeep ? kept.get(address) : undefined;
    let answer = known ?? (await ask(address));
    if (mayKeep) kept.set(address, answer);
    const location = answer.headers.location;
    if (follows === true && location !== undefined) {
      const { pathname, search } = new URL(location);
      answer = await ask(pathname + search);
    }
    const text = rewrite?.(answer.body.toString(), answer.headers['content-type'] ?? '');
    const out = text === undefined ? answer.body : Buffer.from(text);
    const back = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !drops.includes(name)));
    delete back['connection'];
    delete back['transfer-encoding'];
    response.sendDate = false;
    response
      .writeHead(answer.status, { ...back, ...adds, 'content-length': String(out.length) })
      .end(request.method === 'HEAD' ? undefined : out);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave(next) {
      kept.clear();
      behaviour = next;
    },
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function fetched(
  target: string,
  method: string,
  path: string,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send(`${target}${path}`, { method, headers }, (response) => {
      bytesOf(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }),
        reject,
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Shows a page instead of passing anything on. */
export function showing(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): EdgeBehaviour {
  return {
    instead(_request, response) {
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
      return true;
    },
  };
}
