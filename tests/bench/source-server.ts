import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { openWebmentionIo } from '../support/webmention-io.ts';

// The other sites, as a process of their own: pages that link to the owner's, the page of an app, a server that accepts
// connections and never responds, and an aggregator. Listens on every loopback address, so that one process is many sites.

/** What the parent process learns. */
export interface Sources {
  /**
   * Of the server whose page `/N` replies to the owner's page N, whose page `/app` is an app's, and whose page `/fetches`
   * says how often the app's was fetched.
   */
  readonly port: number;
  readonly silentPort: number;
  readonly aggregator: { readonly origin: string; readonly token: string };
}

const words = '<p>What a nice porch, and what a lamp!</p>'.repeat(50);
let fetches = 0;
const app = '<title>An app</title><div class="h-app"><a class="u-url p-name" href="/app">An app</a></div>';
const pages = createServer((request, response) => {
  if (request.url === '/fetches') return response.end(String(fetches));
  if (request.url === '/app') {
    fetches += 1;
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(app);
  }
  const target = `https://owner.example/page${request.url?.replace('/', '-') ?? ''}`;
  return response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(
      `<article class="h-entry"><a class="u-in-reply-to" href="${target}">reply</a><div class="e-content">${words}</div></article>`,
    );
});
const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
const listening = (server: typeof pages | typeof silent) =>
  new Promise<number>((resolve) =>
    server.listen(0, '0.0.0.0', () => resolve((server.address() as AddressInfo).port)),
  );

process.once('disconnect', () => process.exit());
const { origin, token } = await openWebmentionIo(Number(process.argv[2]));
process.send?.({
  port: await listening(pages),
  silentPort: await listening(silent),
  aggregator: { origin, token },
} satisfies Sources);
