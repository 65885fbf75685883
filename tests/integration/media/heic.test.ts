import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { listeningPort } from '../../../src-main/http/listener.ts';
import { mediaEndpoint } from '../../../src-main/media/endpoint-routes.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { jsonOf } from '../../support/answers.ts';
import { month, newMediaStore, pngOf } from '../../support/media-folder.ts';

const heic = Buffer.from('\0\0\0\u0018ftypheic\0\0\0\0mif1heic');

/** The media endpoint over HTTP, with files on disk. */
async function endpoint() {
  const { store } = await newMediaStore();
  const changes: string[] = [];
  const files = mediaEndpoint({
    store,
    base: () => 'https://owner.example',
    authorize: () => Promise.resolve({ scopes: ['media'], app: 'https://app.example/', grantId: 'g' }),
    limitBytes: () => 1_000_000,
    deletedBy: () => undefined,
    changed: (_file, change) => Promise.resolve(void changes.push(change)),
    now: () => 0,
  });
  const app = await buildPublicApp({ log: silentLog, features: [files], closing: () => undefined });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const send = (content: Buffer, name: string) => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(content)]), name);
    return fetch(`http://127.0.0.1:${listeningPort(app)}/media`, { method: 'POST', body });
  };
  return { store, changes, send };
}

test('a HEIC photo gets 415 from the media endpoint, whatever its name, and the answer says what to send', async () => {
  const { store, changes, send } = await endpoint();
  for (const name of ['IMG_0001.HEIC', 'photo.jpg']) {
    const answer = await send(heic, name);
    expect(answer.status).toBe(415);
    expect(answer.headers.get('location')).toBeNull();
    expect(await jsonOf(answer)).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('Send the picture as a JPEG.') as string,
    });
  }
  expect(await store.list({ limit: 10 })).toEqual({ items: [] });
  expect(changes).toEqual([]);
  expect((await send(pngOf(), 'a.png')).status).toBe(201);
});

test('a HEIC photo that is in the folder already stays listed', async () => {
  const { dir, open } = await newMediaStore();
  await mkdir(join(dir, month), { recursive: true });
  await writeFile(join(dir, month, `${'a'.repeat(22)}-phone.heic`), heic);
  expect(await open().list({ limit: 10 })).toMatchObject({ items: [{ type: 'image/heic' }] });
});

test('a HEIC photo that comes back from an export of Porchlight is kept', async () => {
  const { store } = await newMediaStore();
  const content = (async function* () {
    yield await Promise.resolve(new Uint8Array(heic));
  })();
  expect(await store.add(content, { name: 'phone.heic', wasStored: true })).toMatchObject({
    type: 'image/heic',
  });
});
