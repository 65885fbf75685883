import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a fake site answers at a path. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void;

/** Somebody else's site: a small server on loopback that answers what a test gives it and counts what was asked. */
export interface Site {
  readonly origin: string;
  readonly pages: Map<string, Page>;
  /** `METHOD /path` of each request, in order. */
  readonly requests: string[];
  close(): Promise<void>;
}

export async function openSite(host = '127.0.0.1'): Promise<Site> {
  const pages = new Map<string, Page>();
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const page = pages.get(request.url?.split('?', 1)[0] ?? '/');
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    pages,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page with a fixed body. */
export function page(
  body: string,
  headers: Record<string, string> = { 'content-type': 'text/html; charset=utf-8' },
  status = 200,
): Page {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

/** A page that is a JSON document. */
export function json(value: unknown, headers: Record<string, string> = {}): Page {
  return page(JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

/** A fresh PKCE pair (RFC 7636). */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
