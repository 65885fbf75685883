import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PostDocument } from '../../../src-main/posts/post-document.ts';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { content, newStore, note, now } from '../../support/post-folder.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

async function started(dataDir: string): Promise<Porchlight> {
  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  return house;
}

const write = (house: Porchlight, slug: string) =>
  house.call('posts.create', {
    text: `Words of ${slug}`,
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    slug,
  });

/** Returns the documents of posts in a backup, by slug. */
const documentsOf = (backup: string): Promise<Record<string, PostDocument>> =>
  readingZip(backup, async (zip) => {
    const found: [string, PostDocument][] = [];
    for (const [name, entry] of zip.entries) {
      const slug = /^data\/posts\/\d{4}\/\d\d\/([^/]+)\.json$/.exec(name)?.[1];
      if (slug !== undefined)
        found.push([slug, JSON.parse((await zip.bytes(entry, 100_000)).toString()) as PostDocument]);
    }
    return Object.fromEntries(found.sort());
  });

const textOf = ({ post }: Pick<PostDocument, 'post'>) => post?.properties['content'];

test('a backup has the posts as their rows say, whatever their files say, and a restore brings them back whole', async () => {
  const house = await started(await temporaryFolder());
  const month = path.dirname((await write(house, 'gone')).path);
  for (const slug of ['edited', 'replaced', 'damaged', 'moved', 'removed']) await write(house, slug);
  const urlOf = (slug: string, of = house) => `${of.base}${month}/${slug}`;
  for (const text of ['Second words', 'Third words'])
    await house.call('posts.update', { url: urlOf('gone'), text, format: 'plain' });
  const { version, ...source } = await house.call('posts.source', { url: urlOf('gone') });
  const edits = { post: { ...source, text: 'Not saved yet' }, version };
  await house.call('posts.keepEdits', { url: urlOf('gone'), edits });
  await house.call('posts.update', { url: urlOf('moved'), slug: 'elsewhere' });
  await house.call('posts.delete', { url: urlOf('removed') });

  const fileOf = (slug: string, { dataDir } = house) => path.join(dataDir, `${month}/${slug}.json`);
  const savedIn = async (slug: string, of = house) =>
    (await readJsonFile(fileOf(slug, of)).catch(() => undefined)) as PostDocument | undefined;
  await expect.poll(() => savedIn('gone'), patience).toMatchObject({ edits: { post: edits.post } });
  for (const slug of ['edited', 'replaced', 'damaged'])
    await expect.poll(() => savedIn(slug), patience).toBeDefined();
  const asWritten = await savedIn('gone');
  await rm(fileOf('gone'));
  for (const slug of ['edited', 'replaced']) {
    const text = await readFile(fileOf(slug), 'utf8');
    await writeFile(fileOf(slug), text.replace(`Words of ${slug}`, 'Words by hand'));
  }
  await writeFile(fileOf('damaged'), '{ "format": 3, "po');
  // A file that somebody edited is kept beside the one that Porchlight writes over it.
  const kept = (of = house) => readFile(`${fileOf('replaced', of)}.edited`, 'utf8').catch(() => '');
  await house.call('posts.update', { url: urlOf('replaced'), text: 'Newer words', format: 'plain' });
  await expect.poll(() => kept(), patience).toContain('Words by hand');

  const backup = path.join(await temporaryFolder(), 'backup.zip');
  const { problems, counts } = await house.call('data.backup', { path: backup });
  expect([problems, counts.posts]).toEqual([[], 6]);
  const documents = await documentsOf(backup);
  const slugs = ['damaged', 'edited', 'elsewhere', 'gone', 'moved', 'removed', 'replaced'];
  expect(Object.keys(documents)).toEqual(slugs);
  const { gone, moved, removed, ...others } = documents;
  // The seal says that Porchlight wrote a file copy of this computer.
  const { seal: _seal, ...whole } = asWritten ?? {};
  expect(gone).toEqual(whole);
  expect(gone?.history.map(({ content: { properties } }) => properties['content'])).toEqual([
    ['Second words'],
    ['Words of gone'],
  ]);
  expect(moved).toMatchObject({ post: null, movedTo: `${month}/elsewhere`, history: [], edits: null });
  expect(removed?.post?.deletedAt).not.toBeNull();
  expect(Object.values(others).map(textOf)).toEqual([
    ['Words of damaged'],
    ['Words of edited'],
    ['Words of moved'],
    ['Newer words'],
  ]);

  const empty = await started(await temporaryFolder());
  await empty.call('data.restore', { path: backup });
  await empty.call('data.applyRestore', { accept: [] });
  await empty.stop();
  const restored = await started(empty.dataDir);
  const { items } = await restored.call('posts.list', { limit: 100 });
  expect(items.map((post) => post.path).sort()).toEqual(
    ['damaged', 'edited', 'elsewhere', 'gone', 'replaced'].map((slug) => `${month}/${slug}`),
  );
  expect(await (await fetch(urlOf('edited', restored))).text()).toContain('Words of edited');
  const old = await fetch(urlOf('moved', restored), { redirect: 'manual' });
  expect([old.status, old.headers.get('location')]).toEqual([301, urlOf('elsewhere', restored)]);
  expect((await fetch(urlOf('removed', restored))).status).toBe(410);
  const url = urlOf('gone', restored);
  expect((await restored.call('posts.source', { url })).text).toBe('Third words');
  expect((await restored.call('posts.edits', { url })).edits?.post.text).toBe('Not saved yet');
  const history = await restored.call('posts.history', { url });
  expect(history.items).toHaveLength(2);
  await restored.call('posts.restoreVersion', { url, id: history.items[1]?.id ?? '' });
  expect((await restored.call('posts.source', { url })).text).toBe('Words of gone');
  // Nothing differs from the files that the backup has brought, and changes go on in them.
  await expect
    .poll(async () => textOf((await savedIn('gone', restored)) ?? { post: null }), patience)
    .toEqual(['Words of gone']);
  const found = await restored.call('posts.files', {});
  expect(Object.values(found).flat()).toEqual([]);
  expect(await kept(restored)).toContain('Words by hand');
  expect((await readdir(path.dirname(fileOf('gone', restored)))).sort()).toEqual([
    ...slugs.map((slug) => `${slug}.json`),
    'replaced.json.edited',
  ]);
});

test('a backup has the posts of one moment, and a move of the data folder their rows', async () => {
  const { records, posts } = await newStore();
  const { path: changed } = await posts.create(note('Before'), { slug: 'changed', now });
  const { path: moved } = await posts.create(note('Stays'), { slug: 'here', now });
  expect([records.documentFolders('backup'), records.documentFolders('move')]).toEqual([['posts'], []]);

  const lines = await records.lines('backup');
  await lines.begin();
  await posts.change(changed, () => note('After'), { now });
  await posts.change(moved, (before) => before, { slug: 'there', now });
  await posts.create(content({ content: ['New'] }), { slug: 'new', now });
  const backup = await temporaryFolder();
  await lines.write(backup).finally(() => lines.end());
  expect((await readdir(path.join(backup, 'posts/2026/11'))).sort()).toEqual(['changed.json', 'here.json']);
  const document = (await readJsonFile(path.join(backup, `${changed}.json`))) as PostDocument;
  expect([textOf(document), document.history, document.counter]).toEqual([['Before'], [], 1]);
  const inLines = (await readdir(path.join(backup, 'records'))).filter((name) => name.startsWith('post'));
  expect(inLines).toEqual([]);

  const move = await temporaryFolder();
  const whole = await records.lines('move');
  await whole.begin();
  await whole.write(move).finally(() => whole.end());
  expect(await readdir(move)).toEqual(['records']);
  const rows = (await readFile(path.join(move, 'records/posts.jsonl'), 'utf8')).trim().split('\n');
  expect(rows.map((row) => (JSON.parse(row) as { slug: string }).slug).sort()).toEqual([
    ...['changed', 'here', 'new', 'there'],
  ]);
  const versions = await readFile(path.join(move, 'records/post_versions.jsonl'), 'utf8');
  expect(versions).toContain('Before');
});
