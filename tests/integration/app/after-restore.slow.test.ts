import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** A server with pictures. `late.gif` is unavailable until `isUp`. */
async function pictureServer() {
  const state = { isUp: false, asked: [] as string[] };
  const server = createServer(({ url = '' }, response) => {
    state.asked.push(url);
    if (url === '/late.gif' && !state.isUp) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'image/gif' }).end(gif);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { state, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const names = async (house: Porchlight) =>
  (await house.call('media.list', {})).items.map(({ name }) => name).toSorted();

test('after a restore, pictures that posts still lacked are copied, but no copy that the owner deleted', async () => {
  const { state, base } = await pictureServer();
  const home = await temporaryFolder();
  const before = await startPorchlight();
  onTestFinished(() => before.remove());
  const photos = ['late.gif', 'gone.gif'].map((name) => ({ url: `${base}/${name}`, alt: name }));
  await before.call('posts.create', {
    content: 'Look',
    photos,
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  await vi.waitFor(async () => expect(await names(before)).toEqual(['gone.gif']), 20_000);
  await vi.waitFor(() => expect(state.asked).toContain('/late.gif'), 20_000);
  const [copy] = (await before.call('media.list', {})).items;
  await before.call('media.delete', { url: copy?.url ?? '' });
  const file = path.join(home, 'backup.zip');
  await before.call('data.backup', { path: file });

  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  const empty = await startPorchlight({ dataDir });
  const { changes } = await empty.call('data.restore', { path: file });
  await empty.call('data.applyRestore', { accept: changes.map(({ setting }) => setting) });
  await empty.stop();
  state.isUp = true;
  state.asked.length = 0;
  const restored = await startPorchlight({ dataDir });
  onTestFinished(() => restored.stop());
  await vi.waitFor(async () => expect(await names(restored)).toEqual(['late.gif']), 20_000);
  expect(state.asked).toEqual(['/late.gif']);
});
