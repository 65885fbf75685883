import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nonceHeader } from '../../src-main/platform/mailbox-protocol.ts';
import { edgeClient, newEdgeKeys, proofOf } from './edge-client.ts';
import { startMailbox, type MailboxOptions } from './edge-runtime.ts';

/** How the server behind the mailbox behaves. `broken`: it answers 502, as a tunnel without a server does. */
export type OriginBehavior = 'answering' | 'broken' | 'dead' | 'hanging';

interface EdgeSceneOptions extends Pick<MailboxOptions, 'folder' | 'numbers'> {
  readonly isNew?: boolean;
}

/**
 * Starts a Worker in front of a server that proves its answers. The server has called once, so the mailbox is its own,
 * unless `isNew`.
 */
export async function edgeScene({ isNew = false, ...more }: EdgeSceneOptions = {}) {
  const { keys, sealing } = newEdgeKeys();
  let behavior: OriginBehavior = 'answering';
  const greet: RequestListener = (request, response) => response.end(`hello ${request.url ?? ''}`);
  let respond = greet;
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    if (behavior === 'dead') {
      request.socket.destroy();
      return;
    }
    if (behavior === 'hanging' || request.url === '/hangs') return;
    // As Node answers a request that it can't read, before any code of the server runs.
    if (request.url === '/unreadable') {
      response.writeHead(431).end('too large');
      return;
    }
    if (request.url === '/breaks') {
      request.socket.destroy();
      return;
    }
    if (behavior === 'broken') {
      response.writeHead(502).end('bad gateway');
      return;
    }
    for (const [name, value] of Object.entries(proofOf(nonceOf(request), keys.proofKey)))
      response.setHeader(name, value);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { origin, keys, ...more };
  const mailbox = await startMailbox(options);
  const client = edgeClient(mailbox.url, keys);
  if (!isNew) await client.call('awake', { hosts: ['home.test'] });

  return {
    keys,
    sealing,
    mailbox,
    client,
    requests,
    options,
    url: mailbox.url,
    /** Makes everything as it was after the start, except what this instance of the Worker remembers of the server. */
    async reset() {
      behavior = 'answering';
      respond = greet;
      requests.length = 0;
      await client.call('wipe', {});
      await client.call('awake', { hosts: ['home.test'] });
    },
    behave: (next: OriginBehavior) => (behavior = next),
    answerWith: (next: RequestListener) => (respond = next),
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${mailbox.url}${path}`, { headers, redirect: 'manual' }),
    /** Sends a form, from a visitor with this address. */
    post: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${mailbox.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) }),
    async stop() {
      await mailbox.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type EdgeScene = Awaited<ReturnType<typeof edgeScene>>;

/** Returns the nonce of a request that the Worker has passed on. */
export function nonceOf(request: IncomingMessage): string {
  return String(request.headers[nonceHeader]);
}
