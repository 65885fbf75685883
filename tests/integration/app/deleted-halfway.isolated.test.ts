import type * as files from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limitOf, patience } from '../../support/patience.ts';
import { startPorchlight } from '../../support/porchlight.ts';

/** How many more documents of posts the disk takes, until it refuses one. */
const disk = vi.hoisted(() => ({ room: Infinity }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof files>();
  const writeFile: typeof real.writeFile = async (file, ...rest) => {
    const isPost = typeof file === 'string' && /\/posts\/\d{4}\/\d\d\//.test(file);
    if (isPost && (disk.room -= 1) === -1)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    return real.writeFile(file, ...rest);
  };
  return { ...real, default: { ...real, writeFile }, writeFile };
});

/** Starts a site that counts the webmentions that it gets. */
async function openTarget() {
  let mentions = 0;
  const server = createServer((request, response) => {
    if (request.method === 'POST') mentions += 1;
    request.resume();
    response.writeHead(200, { 'content-type': 'text/html', link: '</wm>; rel="webmention"' }).end('<p>Hi');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, mentions: () => mentions };
}

test(
  'WS-5 a deletion whose second half needs the reserve applies, and is told once only',
  { timeout: limitOf(200_000) },
  async () => {
    const target = await openTarget();
    const porchlight = await startPorchlight({});
    onTestFinished(() => porchlight.remove());
    const { url } = await porchlight.call('posts.create', {
      text: `See ${target.url}`,
      status: 'published',
      visibility: 'public',
      categories: [],
      photos: [],
    });
    await expect.poll(target.mentions, patience).toBe(1);

    disk.room = 1;
    await porchlight.call('posts.delete', { url });
    expect(disk.room).toBeLessThan(0);
    expect((await fetch(url)).status).toBe(410);
    // What follows has no room before the reserve is there again, and is tried again after a minute.
    await expect.poll(target.mentions, { timeout: limitOf(100_000) }).toBe(2);
    await porchlight.call('posts.delete', { url });
    const idle = async () =>
      (await porchlight.call('webmentions.deliveries', { source: url })).every(
        ({ state }) => state !== 'waiting',
      );
    await expect.poll(idle, patience).toBe(true);
    expect(target.mentions()).toBe(2);
  },
);
