import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSite } from '../support/client-app.ts';
import { contentsOf, feedIdsOf, fillExport, type ExportHouse } from '../support/export-scene.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';

const flags = ['--me', 'https://owner.example/', '--tunnel', 'off'];
const houseOf = (program: HeadlessProcess): ExportHouse => ({
  base: program.ready.baseUrl,
  call: (method, params) => program.call(method, params),
});

async function scene() {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-own-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // The sites of the people who mention the owner are on loopback too.
  const first = await startHeadless({ args: [...flags, '--allow-private-fetch'] });
  onTestFinished(() => first.remove());
  return { folder, first };
}

test('R01 the built program imports what another one exported', { timeout: 540_000 }, async () => {
  const { folder, first } = await scene();
  const bo = await openSite();
  onTestFinished(() => bo.close());
  await fillExport(houseOf(first), bo);
  const path = join(folder, 'export.zip');
  await first.call('data.export', { path });
  const second = await startHeadless({ args: flags });
  onTestFinished(() => second.remove());
  const report = await second.call('posts.import', { path, format: 'auto', ownExport: true });
  expect(report).toMatchObject({ format: 'porchlight', imported: 8, mentions: 5, pages: 1, skipped: [] });
  const before = await contentsOf(houseOf(first));
  expect(await contentsOf(houseOf(second))).toEqual(before);
  expect(await feedIdsOf(houseOf(second))).toEqual(await feedIdsOf(houseOf(first)));
  expect(await second.call('posts.import', { path, format: 'auto', ownExport: true })).toMatchObject({
    imported: 0,
    mentions: 0,
    pages: 0,
    files: 0,
  });
  expect(await contentsOf(houseOf(second))).toEqual(before);
  const undone = await second.call('posts.undoImport', { id: report.id });
  expect(undone).toMatchObject({ deleted: 8, files: 2, mentions: 5, pages: 1, keptCount: 0 });
});

/** Writes an export with so many posts and, for each, so many mentions. */
async function largeExport(
  first: HeadlessProcess,
  folder: string,
  posts: number,
  each: number,
): Promise<string> {
  const path = join(folder, 'export');
  await first.call('data.export', { path });
  const base = first.ready.baseUrl;
  const numbers = Array.from({ length: posts }, (_, index) => index);
  const at = (index: number) => new Date(Date.UTC(2020, 0, 1) + index * 1000).toISOString();
  const post = (index: number) => ({
    path: `/posts/2020/01/post-${index}`,
    type: ['h-entry'],
    commands: {},
    status: 'published',
    properties: { content: [`Post ${index}`], published: [at(index)] },
    visibility: 'public',
    createdAt: at(index),
    updatedAt: at(index),
    deletedAt: null,
  });
  const mention = (index: number, from: number) => ({
    format: 1,
    id: `m-${index}-${from}`,
    wmId: index * each + from,
    source: `https://bo.example/${from}`,
    target: `${base}/posts/2020/01/post-${index}`,
    received: at(index),
    parsed: at(index),
    status: 'approved',
    chosen: true,
    facts: { type: 'reply', property: 'in-reply-to', content: { value: `Reply ${from}` } },
    history: [],
  });
  await writeFile(join(path, 'porchlight/posts.json'), JSON.stringify(numbers.map(post)));
  await writeFile(
    join(path, 'porchlight/mentions.json'),
    JSON.stringify(
      numbers.flatMap((index) => Array.from({ length: each }, (_, from) => mention(index, from))),
    ),
  );
  return path;
}

test(
  'an import of an export that was killed continues without duplicates, and an undo leaves nothing behind',
  { timeout: 240_000 },
  async () => {
    const { folder, first } = await scene();
    const [posts, each] = [60, 100];
    const path = await largeExport(first, folder, posts, each);
    const dataDir = join(folder, 'data');
    let house = await startHeadless({ dataDir, args: flags });
    onTestFinished(() => house.remove());
    const again = { dataDir, args: [...flags, '--port', String(house.ready.port)] };
    const whole = { path, format: 'auto', ownExport: true } as const;
    // Once early, and twice among the mentions.
    for (const most of [0, posts + 200, 200]) {
      void house.call('posts.import', whole).catch(() => undefined);
      const done = async () => {
        const { progress } = await house.call('posts.imports', {});
        return progress?.state === 'importing' ? progress.done : 0;
      };
      await expect.poll(done, { timeout: 180_000, interval: 10 }).toBeGreaterThan(most);
      await house.stop('SIGKILL');
      house = await startHeadless(again);
    }
    const [interrupted] = (await house.call('posts.imports', {})).items;
    expect(interrupted).toMatchObject({ state: 'interrupted', ownExport: true });
    const report = await house.call('posts.import', whole);
    expect(report).toMatchObject({ id: interrupted?.id, found: posts, state: 'done' });
    const counted = async () => {
      const pages = await house.call('webmentions.pages', {});
      const { items } = await house.call('posts.list', { limit: 500 });
      return { posts: items.length, pages: pages.map(({ statuses }) => statuses.approved ?? 0) };
    };
    expect(await counted()).toEqual({ posts, pages: Array.from({ length: posts }, () => each) });
    expect(await house.call('posts.import', whole)).toMatchObject({ imported: 0, mentions: 0 });

    const undone = await house.call('posts.undoImport', { id: report.id });
    expect(undone).toMatchObject({ deleted: posts, mentions: posts * each, keptCount: 0 });
    expect(await counted()).toEqual({ posts: 0, pages: [] });
    // What was erased stays erased after a restart.
    await house.stop();
    await rm(join(dataDir, 'index.sqlite'), { force: true });
    house = await startHeadless(again);
    expect(await counted()).toEqual({ posts: 0, pages: [] });
  },
);
