import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { protocol } from 'electron';
import { windowPolicy } from '../http/response-headers.ts';
import { appOrigin } from './addresses.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** Serves the files of the built window at app://porchlight/, and no other files. */
export function serveApp(folder: string): void {
  protocol.handle('app', (request) => answer(folder, request));
}

/**
 * Returns the path of the file at a URL, as a list of names below the window's folder. Returns undefined if the URL
 * isn't an address of the window. A name may contain only letters, digits, dots, dashes and underscores.
 */
export function fileOf(address: string): readonly string[] | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (`${url.protocol}//${url.host}` !== appOrigin) return undefined;
  const names = url.pathname === '/' ? ['index.html'] : url.pathname.slice(1).split('/');
  return names.every((name) => /^[\w-][\w.-]*$/.test(name) && !name.includes('..')) ? names : undefined;
}

async function answer(folder: string, request: Request): Promise<Response> {
  const names = fileOf(request.url);
  const type = types[extname(names?.at(-1) ?? '')];
  if (request.method !== 'GET' || !names || !type) return reply(null, 404);
  const body = await readFile(join(folder, ...names)).catch(() => null);
  return body ? reply(new Uint8Array(body), 200, { 'content-type': type }) : reply(null, 404);
}

function reply(body: Uint8Array<ArrayBuffer> | null, status: number, headers: Record<string, string> = {}) {
  return new Response(body, {
    status,
    headers: {
      'content-security-policy': windowPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...headers,
    },
  });
}
