import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A delivery as a subscriber received it. */
export interface Delivery {
  readonly path: string;
  readonly contentType: string | undefined;
  readonly link: string | undefined;
  readonly signature: string | undefined;
  readonly body: string;
}

/** How a subscriber behaves: `answer` for deliveries, `confirm` for the hub's questions. */
export interface Manners {
  /** The response to a question; the challenge by default. */
  confirm?: (query: URLSearchParams, response: ServerResponse) => void;
  /** The response to a delivery; 204 by default. */
  answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A small WebSub subscriber on loopback. */
export interface Subscriber {
  readonly origin: string;
  readonly manners: Manners;
  /** What the hub asked at the callback, in order. */
  readonly questions: URLSearchParams[];
  readonly deliveries: Delivery[];
  /** Sends a request to a hub. */
  ask(hub: string, fields: { mode?: string; topic: string } & Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export async function openSubscriber(): Promise<Subscriber> {
  const manners: Manners = {};
  const questions: URLSearchParams[] = [];
  const deliveries: Delivery[] = [];

  async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const header = (name: string) => [request.headers[name]].flat().join(', ') || undefined;
    deliveries.push({
      path: request.url ?? '',
      contentType: header('content-type'),
      link: header('link'),
      signature: header('x-hub-signature'),
      body: await text(request),
    });
    if (manners.answer) manners.answer(request, response);
    else response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      deliver(request, response).catch(() => response.destroy());
      return;
    }
    const query = new URL(request.url ?? '', 'http://subscriber.test').searchParams;
    questions.push(query);
    if (manners.confirm) manners.confirm(query, response);
    else response.end(query.get('hub.challenge') ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    manners,
    questions,
    deliveries,
    ask(hub, { mode = 'subscribe', topic, callback = `${origin}/callback?of=mine`, ...rest }) {
      const fields = { 'hub.mode': mode, 'hub.topic': topic, 'hub.callback': callback, ...rest };
      return fetch(hub, { method: 'POST', body: new URLSearchParams(fields) });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the signature that a delivery must carry. */
export const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
