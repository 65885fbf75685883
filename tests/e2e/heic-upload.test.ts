import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { heic } from '../support/heic-samples.ts';

const args = ['--me', 'https://owner.example/'];
let server: HeadlessProcess;
let token: string;
beforeAll(async () => {
  server = await startHeadless({ args });
  ({ token } = await server.call('apps.issueToken', { label: 'Camera', scopes: ['create', 'media'] }));
});
afterAll(() => server.remove());

const fileOf = (bytes: Uint8Array) => new File([new Uint8Array(bytes)], 'IMG_7.HEIC');
const photo = () => fileOf(heic({ turns: 1, grid: { columns: 3, rows: 2 } }));

/** Sends a form to the built server as an app does. */
function sendForm(path: string, field: string, file: File, to = { server, token }): Promise<Response> {
  const body = new FormData();
  if (path === '/micropub') body.set('h', 'entry');
  body.set(field, file);
  const headers = { authorization: `Bearer ${to.token}` };
  return fetch(to.server.ready.baseUrl + path, { method: 'POST', headers, body });
}

async function expectJpeg(url: string): Promise<void> {
  const { pathname } = new URL(url);
  expect(pathname).toMatch(/\.jpg$/);
  const answer = await fetch(server.ready.baseUrl + pathname);
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  const size = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
  expect(size).toMatchObject({ format: 'jpeg', width: 128, height: 192 });
}

test('P09 a HEIC photo is a JPEG after an upload to the media endpoint, and after one from the window', async () => {
  const answer = await sendForm('/media', 'file', photo());
  expect(answer.status).toBe(201);
  await expectJpeg(answer.headers.get('location')!);
  const data = Buffer.from(await photo().arrayBuffer()).toString('base64');
  const item = await server.call('media.upload', { name: 'IMG_7.HEIC', data });
  expect(item).toMatchObject({ type: 'image/jpeg', name: 'IMG_7.jpg', width: 128, height: 192 });
  await expectJpeg(item.url);
});

test('P09 a HEIC photo in a Micropub form is shown on the post’s page', async () => {
  const answer = await sendForm('/micropub', 'photo', photo());
  expect(answer.status).toBe(201);
  const { pathname } = new URL(answer.headers.get('location')!);
  const page = await (await fetch(server.ready.baseUrl + pathname)).text();
  const [, src] = /<img\b[^>]*\bsrc="([^"]+-img-7\.jpg)"/.exec(page) ?? [];
  await expectJpeg(new URL(src!, server.ready.baseUrl).href);
});

test('P09 a damaged HEIC photo in a Micropub form is refused, and no post is created', async () => {
  const before = await server.call('posts.list', {});
  const answer = await sendForm('/micropub', 'photo', fileOf(heic().subarray(0, -9)));
  expect(answer.status).toBe(415);
  expect(await answer.json()).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('Send the picture as a JPEG.') as string,
  });
  expect(await server.call('posts.list', {})).toEqual(before);
});

test('a server that is killed while it converts a HEIC photo leaves nothing of it, and works again', async () => {
  let house = await startHeadless({ args });
  const { dataDir } = house;
  onTestFinished(() => house.remove());
  const issued = await house.call('apps.issueToken', { label: 'Camera', scopes: ['media'] });
  const incoming = join(dataDir, 'media', 'incoming');
  const parts = () => readdir(incoming).catch((): string[] => []);
  const large = fileOf(heic({ grid: { columns: 31, rows: 31 } }));
  let acknowledged = 0;
  for (const delayMs of [0, 150, 600]) {
    const upload = sendForm('/media', 'file', large, { server: house, token: issued.token });
    const outcome = upload.then(({ status }) => status === 201).catch(() => false);
    await expect.poll(parts, { timeout: 60_000, interval: 5 }).not.toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await house.stop('SIGKILL');
    if (await outcome) acknowledged += 1;
    house = await startHeadless({ dataDir, args });
    expect(await parts()).toEqual([]);
    const { items } = await house.call('media.list', {});
    expect(items.every(({ type }) => type === 'image/jpeg')).toBe(true);
    expect(items.length).toBeGreaterThanOrEqual(acknowledged);
  }
  const answer = await sendForm('/media', 'file', large, { server: house, token: issued.token });
  expect(answer.status).toBe(201);
});
