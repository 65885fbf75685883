import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './storage-folder.ts';

/** Serves a built site as Netlify does: its files, and then the rules of its `_redirects`. */
export async function hostSite(output: () => string) {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    void answerTo(output(), pathname, search).then(({ status, body, location }) => {
      response.writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        ...(location && { location }),
      });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves a site that has only a sitemap, with the given paths. */
export async function hostSitemap(paths: readonly string[]) {
  const folder = await temporaryFolder();
  const site = await hostSite(() => folder);
  const urls = paths.map((one) => `<url><loc>${new URL(one, site.baseUrl).href}</loc></url>`);
  await writeFile(path.join(folder, 'sitemap.xml'), `<urlset>${urls.join('')}</urlset>`);
  onTestFinished(() => site.close());
  return site;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
}

async function answerTo(root: string, pathname: string, search: string): Promise<Answer> {
  const body = await fileAt(root, pathname);
  if (body !== undefined) return { status: 200, body };
  const rules = (await readFile(path.join(root, '_redirects'), 'utf8').catch(() => '')).split('\n');
  for (const rule of rules) {
    const [from, to = '', status = '301'] = rule.trim().split(/\s+/);
    if (from !== pathname) continue;
    if (status.startsWith('3')) return { status: Number(status), body: '', location: to + search };
    const shown = await fileAt(root, to);
    if (shown !== undefined) return { status: Number(status), body: shown };
  }
  return { status: 404, body: 'Nothing here' };
}

async function fileAt(root: string, pathname: string): Promise<string | undefined> {
  const file = path.join(root, decodeURIComponent(pathname));
  const isFolder = (await stat(file).catch(() => undefined))?.isDirectory() === true;
  return readFile(isFolder ? path.join(file, 'index.html') : file, 'utf8').catch(() => undefined);
}
