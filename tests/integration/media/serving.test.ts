import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { listeningPort } from '../../../src-main/http/listener.ts';
import { mediaFiles } from '../../../src-main/media/serve-routes.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { month, newMediaStore, pngOf, streamOf, withoutVersions } from '../../support/media-folder.ts';
import { rawRequest } from '../../support/raw-request.ts';

async function serve() {
  const media = await newMediaStore({ limitBytes: () => 20_000_000 });
  const versions = withoutVersions(media);
  const features = [mediaFiles(media.store, versions)];
  const app = await buildPublicApp({ log: silentLog, features, closing: () => undefined });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const base = `http://127.0.0.1:${listeningPort(app)}`;
  const add = (content: string | Uint8Array, name = 'a', claimedType?: string) =>
    media.store.add(streamOf(content), { name, claimedType });
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(base + path, { headers, method });
  return { ...media, base, add, ask };
}

const sandboxed = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

describe('a file', () => {
  test('MP-72 is served unchanged, with its own type, cacheable for good, to any origin', async () => {
    const { add, ask, base } = await serve();
    const png = pngOf('rest');
    const { path } = await add(png, 'My Photo.jpeg');
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': 'inline; filename="my-photo.png"',
      'cache-control': 'public, max-age=31536000, immutable',
      'cdn-cache-control': 'max-age=300',
      'content-security-policy': sandboxed,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
    });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);

    const head = await ask(path, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(png.length),
      '',
    ]);
    const etag = answer.headers.get('etag') ?? '';
    const known = await rawRequest(
      base,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`,
    );
    expect([known.statuses, known.body]).toEqual([[304], '']);
  });

  test.each([
    ['image/jpeg', Buffer.from('ffd8ffe000104a46494600', 'hex')],
    ['image/gif', Buffer.from('GIF89a\x01\0\x01\0', 'latin1')],
    ['text/plain; charset=utf-8', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['image/png', pngOf('<html><script>alert(1)</script>')],
  ])('a file served as %s can run no script', async (type, content) => {
    const { add, ask } = await serve();
    const answer = await ask((await add(content)).path);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('content-security-policy')).toBe(sandboxed);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('that is a PDF has no sandbox, in which browsers show none', async () => {
    const { add, ask } = await serve();
    const answer = await ask((await add('%PDF-1.7\n')).path);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'",
    );
  });

  test('is served by ranges', async () => {
    const { add, ask } = await serve();
    const { path } = await add('0123456789');
    const part = async (range: string, rest = {}) => {
      const answer = await ask(path, { range, ...rest });
      return [answer.status, answer.headers.get('content-range'), await answer.text()];
    };
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await part('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part('bytes=8-')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await part('bytes=2-4', { 'if-range': '"another"' })).toEqual([200, null, '0123456789']);

    const beyond = await ask(path, { range: 'bytes=10-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    expect(beyond.headers.get('content-type')).toMatch(/^application\/json/);
    expect(beyond.headers.get('cache-control')).toBe('no-store');
    expect(await beyond.json()).toMatchObject({ error: 'invalid_request' });
  });

  test('that is deleted while it is sent arrives whole, and is gone afterwards', async () => {
    const { add, ask, store } = await serve();
    const content = 'x'.repeat(10_000_000);
    const { path } = await add(content);
    const answer = await ask(path);
    await store.delete(path);
    expect((await answer.text()).length).toBe(content.length);

    const gone = await ask(path);
    expect([gone.status, gone.headers.get('cache-control')]).toEqual([410, 'no-store']);
    expect(gone.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await gone.json()).toEqual({ error: 'gone', error_description: 'This file was deleted.' });
  });

  test('that a person removed under our feet is not found', async () => {
    const { add, ask, store } = await serve();
    const file = await add('words');
    await rm(store.fileOf(file));
    const answer = await ask(file.path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(answer.headers.get('content-disposition')).toBeNull();
  });
});

test('no spelling of an address reaches anything but the files', async () => {
  const { add, base, store, dir } = await serve();
  const file = await add(pngOf());
  await store.thumbnail(file.path);
  await appendFile(join(dir, 'secret.txt'), 'secret');
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  for (const path of [
    `/media/${month}/index.jsonl`,
    `/media/${month}/thumbnails/${name}.webp`,
    `/media/${month}/thumbnails%2F${name}.webp`,
    `/media/${month}/..%2f..%2fsecret.txt`,
    `/media/${month}/../../secret.txt`,
    `/media/${month}/%2e%2e/%2e%2e/secret.txt`,
    `/media/${month}/..%5c..%5csecret.txt`,
    '/media/secret.txt',
    '/media/2026/%2e%2e/secret.txt',
    '/media/../media/../secret.txt',
    `${file.path}%00`,
    `${file.path}/`,
    `${file.path}.`,
    file.path.replace('/11/', '/%2e/11/'),
    `/media/2026/11%2f${name}`,
    `/media/${month}/${name.toUpperCase()}`,
    `/media/${month}/%ff%fe`,
    `/media/${month}/${'x'.repeat(5000)}`,
    `//media/${month}/${name}`,
    `/media/${month}/`,
    '/media/incoming/a.part',
  ]) {
    const { statuses, body } = await rawRequest(
      base,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 404, 414], path).toContain(statuses[0]);
    expect(body, path).not.toContain('secret.txt"');
    expect(body, path).not.toContain('PNG');
  }
});
