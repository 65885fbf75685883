import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a hostile (or plain) server does with a request. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HostileServer {
  readonly host: string;
  readonly port: number;
  readonly origin: string;
  /** Every request that arrived, in order. */
  readonly seen: readonly SeenRequest[];
  /** How many connections were ever opened to it. */
  connections(): number;
  /** Resolves once nobody is connected any more. */
  deserted(): Promise<void>;
  close(): Promise<void>;
}

/** A server on loopback that answers each path as told, and 404 to any other. */
export async function hostileServer(
  behaviours: Record<string, Behaviour>,
  host = '127.0.0.1',
): Promise<HostileServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '/';
      const body = Buffer.concat(chunks).toString();
      seen.push({ method: request.method ?? '', path, headers: request.headers, body });
      const behaviour = behaviours[path.split('?', 1)[0]!] ?? answer(404, 'nothing here');
      behaviour(response, request);
    });
  });
  const open = new Set<unknown>();
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) server.emit('deserted');
    });
  });
  const port = await listen(server, host);
  return {
    host,
    port,
    origin: `http://${host}:${port}`,
    seen,
    connections: () => connections,
    deserted: async () => {
      if (open.size > 0) await once(server, 'deserted');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export function answer(
  status: number,
  body: string | Buffer = '',
  headers: Record<string, string | string[]> = {},
): Behaviour {
  return (response) => response.writeHead(status, headers).end(body);
}

export function redirectTo(location: string | (() => string), status = 302): Behaviour {
  return (response) =>
    response
      .writeHead(status, { location: typeof location === 'string' ? location : location() })
      .end('<p>Moved</p>');
}

/** Takes the request and says nothing, ever. */
export const silence: Behaviour = () => undefined;

/** Sends the head and a first piece, then nothing more. */
export const stallInBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.write('<html>');
};

/** Sends `piece` as fast as it is taken, for as long as somebody is there. */
export function endless(piece: Buffer, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(200, headers);
    const pour = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', pour);
    pour();
  };
}

/** A byte now and then, for ever: no pause is long, the whole is. */
export function drip(everyMs: number): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const timer = setInterval(() => response.write('.'), everyMs);
    response.once('close', () => {
      clearInterval(timer);
    });
  };
}
