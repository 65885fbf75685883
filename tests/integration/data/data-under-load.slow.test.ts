import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { checkFolder } from '../../../src-main/app/check.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const rounds = 2;

test(
  'a backup that is made while posts, files and mentions come in is one moment of them, whole',
  { timeout: 360_000 },
  async () => {
    const home = await temporaryFolder();
    const dataDir = path.join(home, 'data');
    await mkdir(dataDir);
    const porchlight = await startPorchlight({ dataDir });
    onTestFinished(() => porchlight.stop());
    const note = (content: string) =>
      porchlight.call('posts.create', {
        content,
        photos: [],
        categories: ['tea'],
        visibility: 'public',
        status: 'published',
      });
    const { url: target } = await note('The page that others mention');
    const source = createServer((_request, answer) => {
      answer.setHeader('content-type', 'text/html').end(`<a href="${target}">a lamp</a>`);
    });
    await once(source.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void source.close());
    const elsewhere = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;

    let writing = true;
    const acknowledged: string[] = [];
    const errors: unknown[] = [];
    async function writer(kind: string): Promise<void> {
      for (let number = 0; writing; number += 1) {
        const { url } = await note(`${kind} ${number}`);
        acknowledged.push(url);
        await porchlight.call('media.upload', { name: `${kind}.txt`, data: 'aGVsbG8=' });
        const body = new URLSearchParams({ source: `${elsewhere}/${kind}/${number}`, target });
        const answer = await fetch(`${porchlight.base}/webmention`, { method: 'POST', body });
        if (answer.status >= 500) errors.push(answer.status);
        // Much comes in during each backup anyway; without a pause, five times as much, which only takes longer.
        await pause(20);
      }
    }
    const writers = ['a', 'b', 'c'].map(writer);
    const made: { file: string; before: string[] }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const file = path.join(home, `${round}.zip`);
      const wanted = acknowledged.length + 5;
      await expect.poll(() => acknowledged.length, { timeout: 180_000 }).toBeGreaterThan(wanted);
      const before = [...acknowledged];
      expect((await porchlight.call('data.backup', { path: file })).problems).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(before.length);
      made.push({ file, before });
    }
    writing = false;
    await Promise.all(writers);
    expect(errors).toEqual([]);
    expect(await porchlight.call('webmentions.counts', {})).toBeDefined();

    // The first of them, which holds the least of what there is now.
    const [{ file, before }] = made as [(typeof made)[number]];
    await porchlight.call('data.restore', { path: file });
    await porchlight.call('data.applyRestore', {});
    await porchlight.stop();
    const again = await startPorchlight({ dataDir });
    const urls = (await again.call('posts.list', { limit: 100 })).items.map(({ url }) => url);
    expect(urls).toEqual(expect.arrayContaining([target, ...before].map(pathOf(urls))));
    expect(urls.length).toBeLessThan(acknowledged.length + 1);
    await again.stop();
    expect((await checkFolder(dataDir)).problems).toEqual([]);
  },
);

/** The port is another one after a start, the rest of an address is not. */
const pathOf = (urls: readonly string[]) => (url: string) =>
  urls.find((one) => new URL(one).pathname === new URL(url).pathname) ?? url;
