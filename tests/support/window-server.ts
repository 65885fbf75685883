import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { isMethodName, type Reply } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { windowPolicy } from '../../src-main/http/response-headers.ts';
import { houseHandlers, type House } from './window-fixtures.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};
const built = join(import.meta.dirname, '../../out/renderer');

export interface WindowServer {
  /** The address of the window, with the owner key. */
  readonly address: string;
  /** Serves another house from now on, at the same address. */
  show(house: House): void;
  close(): Promise<void>;
}

/** Serves the built window for `house` as the owner's console would, on a free loopback port. */
export async function serveWindow(house: House): Promise<WindowServer> {
  if (!existsSync(join(built, 'index.html')))
    throw new Error('The window is not built: run vite build first.');
  let handlers = houseHandlers(house);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/api/download/')) {
      response.writeHead(200, { 'Content-Disposition': 'attachment' }).end('A backup.');
    } else if (pathname.startsWith('/api/') && request.headers.authorization !== 'Bearer the-owner-key') {
      response.writeHead(401).end('{}');
    } else if (pathname === '/api/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': hello\n\n');
    } else if (pathname === '/api/upload') {
      await textOf(request);
      const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const result = { path: `/uploads/${searchParams.get('name') ?? ''}` };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ result }));
    } else if (pathname.startsWith('/api/')) {
      const reply = await replyTo(pathname.slice('/api/'.length), await bodyOf(request));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
    } else {
      const file = pathname === '/' ? '/index.html' : pathname;
      const content = await readFile(join(built, file)).catch(() => null);
      const type = types[extname(file)] ?? 'application/octet-stream';
      response
        .writeHead(content ? 200 : 404, {
          'Content-Type': type,
          'Content-Security-Policy': windowPolicy,
          // What the browser may keep, it compiles once.
          ...(file.startsWith('/assets/') && { 'Cache-Control': 'max-age=3600' }),
        })
        .end(content);
    }
  }

  async function replyTo(method: string, params: unknown): Promise<Reply> {
    try {
      if (!isMethodName(method)) throw new PorchlightError('unknown_method', method);
      return { result: await Promise.resolve(handlers[method](params as never)) };
    } catch (error) {
      const code = error instanceof PorchlightError ? error.code : 'server_error';
      return { error: { code, message: error instanceof Error ? error.message : code } };
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}/#key=the-owner-key`,
    show: (other) => (handlers = houseHandlers(other)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return JSON.parse(await textOf(request)) as unknown;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
