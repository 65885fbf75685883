import { mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordTables } from '../../../src-main/app/tables.ts';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { patience } from '../../support/patience.ts';
import { type Porchlight, startPorchlight } from '../../support/porchlight.ts';

let house: Porchlight;
beforeEach(async () => {
  house = await startPorchlight();
});
afterEach(() => house.remove());

const create = (text: string, slug: string, more: object = {}) =>
  house.call('posts.create', {
    requestId: slug,
    text,
    format: 'plain',
    slug,
    photos: [],
    categories: ['lamps'],
    visibility: 'public',
    status: 'published',
    ...more,
  });

const statusOf = async (path: string) => (await fetch(house.base + path, { redirect: 'manual' })).status;
const codes = async () => (await house.call('status.get', {})).problems.map(({ code }) => code);
const filesOf = async (month: string) => (await readdir(join(house.dataDir, 'posts', month))).sort();

/** Four posts: one that everybody sees, a deleted one, a private one, and one that has moved. */
async function fourPosts(): Promise<{
  month: string;
  shown: string;
  deleted: string;
  hidden: string;
  old: string;
}> {
  const shown = (await create('The lamp is on.', 'shown')).path;
  const deleted = await create('The lamp is off.', 'deleted');
  await house.call('posts.delete', { url: deleted.url });
  const hidden = (await create('Nobody knows.', 'hidden', { visibility: 'private' })).path;
  const old = await create('I moved.', 'old');
  await house.call('posts.update', { url: old.url, slug: 'new' });
  const month = shown.slice('/posts/'.length, -'/shown'.length);
  await expect
    .poll(() => filesOf(month), patience)
    .toEqual(['deleted.json', 'hidden.json', 'new.json', 'old.json', 'shown.json']);
  return { month, shown, deleted: deleted.path, hidden, old: old.path };
}

async function expectFour({
  shown,
  deleted,
  hidden,
  old,
}: Awaited<ReturnType<typeof fourPosts>>): Promise<void> {
  await expect.poll(() => statusOf(shown), patience).toBe(200);
  expect(await statusOf(deleted)).toBe(410);
  expect(await statusOf(hidden)).toBe(404);
  expect(await statusOf(old)).toBe(301);
  const page = await (await fetch(`${house.base}/categories/lamps`)).text();
  expect(
    ['The lamp is on.', 'I moved.', 'The lamp is off.', 'Nobody knows.'].map((text) => page.includes(text)),
  ).toEqual([true, true, false, false]);
}

const derived = [
  'post_categories',
  'list_counts',
  'post_files',
  'post_homes',
  'post_written',
  'post_words',
  'post_state',
];

/** Changes the database to what a repair leaves: rows with their declared columns, and nothing derived from them. */
const repaired = (sql: string) =>
  withClosedRecords(house.dataDir, recordTables, (database) => {
    for (const table of derived) database.exec(`DELETE FROM ${table}`);
    database.exec(`${sql}; UPDATE posts SET filed = NULL, copy = NULL, position = NULL, at = NULL, kind = NULL,
      status = NULL, visibility = NULL, deleted = NULL, listed = NULL, app = NULL, homeless = NULL, behind = NULL,
      home = NULL`);
  });

async function restart(): Promise<void> {
  house = await startPorchlight({ dataDir: house.dataDir });
}

test('posts come back from their files if the database is lost', async () => {
  const posts = await fourPosts();
  await house.stop();
  for (const name of await readdir(house.dataDir))
    if (name.startsWith('records')) await rm(join(house.dataDir, name));
  await restart();
  await expectFour(posts);
  // A change goes on from there.
  const url = house.base + posts.shown;
  await house.call('posts.update', { url, text: 'The lamp is bright.', format: 'plain' });
  expect((await house.call('posts.history', { url })).items).toHaveLength(1);
});

test('a row that a repair has lost comes back from its file', async () => {
  const posts = await fourPosts();
  await house.stop();
  await repaired("DELETE FROM posts WHERE slug <> 'hidden'");
  await restart();
  await expectFour(posts);
});

test('an older row never brings back what ended: its file counts', async () => {
  const posts = await fourPosts();
  await house.stop();
  await repaired(
    `UPDATE posts SET counter = 1, doubtful = 1, post = json_set(post, '$.deletedAt', NULL) WHERE slug = 'deleted'`,
  );
  await restart();
  await expectFour(posts);
  expect(await codes()).toEqual([]);
});

test('a post of which something newer may be missing is shown only when the owner says so', async () => {
  const posts = await fourPosts();
  await house.stop();
  await unlink(join(house.dataDir, 'posts', posts.month, 'shown.json'));
  await repaired("UPDATE posts SET doubtful = 1 WHERE slug = 'shown'");
  await restart();
  expect(await statusOf(posts.shown)).toBe(503);
  expect(await (await fetch(house.base)).text()).not.toContain('The lamp is on.');
  // Its path stays taken.
  await expect(create('Another one', 'shown')).rejects.toMatchObject({ code: 'slug_taken' });
  expect(await house.call('posts.damaged', {})).toMatchObject([
    { path: posts.shown, item: { summary: 'The lamp is on.' } },
  ]);
  await house.call('posts.restoreCopy', { path: posts.shown });
  expect(await statusOf(posts.shown)).toBe(200);
  expect(await house.call('posts.damaged', {})).toEqual([]);
  await expect.poll(() => filesOf(posts.month), patience).toContain('shown.json');
});

test('a folder of an earlier form is read: a move that was interrupted, and a broken file with a previous version', async () => {
  const posts = await fourPosts();
  await house.stop();
  for (const name of await readdir(house.dataDir))
    if (/^(?:records|known)/.test(name)) await rm(join(house.dataDir, name));
  const file = (name: string) => join(house.dataDir, 'posts', posts.month, name);
  for (const name of await filesOf(posts.month)) {
    const {
      id: _id,
      counter: _counter,
      seal: _seal,
      ...older
    } = JSON.parse(await readFile(file(name), 'utf8')) as object & {
      id: string;
      counter: number;
      seal: string;
    };
    await writeFile(file(name), JSON.stringify(older));
  }
  const moved = JSON.parse(await readFile(file('new.json'), 'utf8')) as object;
  await writeFile(file('new.json'), JSON.stringify({ ...moved, movedFrom: posts.old }));
  await writeFile(file('old.json'), JSON.stringify(moved));
  await rename(file('shown.json'), file('shown.json.previous'));
  await writeFile(file('shown.json'), '{ "format": 3, "post": { "ty');
  await restart();
  await expectFour(posts);
  expect((await house.call('posts.list', {})).items).toHaveLength(3);
  expect(await codes()).toContain('storage_recovered');
});

test('while many files are read for the first time, pages are refused for now, and a kill continues it', async () => {
  await house.stop();
  const posts = join(house.dataDir, 'posts/2020/01');
  await mkdir(posts, { recursive: true });
  const post = {
    type: ['h-entry'],
    properties: { content: ['Lamp'], published: ['2020-01-01T10:00:00Z'] },
    commands: {},
    status: 'published',
    visibility: 'public',
    createdAt: '2020-01-01T10:00:00.000Z',
    updatedAt: '2020-01-01T10:00:00.000Z',
    deletedAt: null,
  };
  const text = JSON.stringify({ format: 3, post, movedTo: null, movedFrom: null, history: [], edits: null });
  for (let turn = 0; turn < 3000; turn += 1) await writeFile(join(posts, `lamp-${turn}.json`), text);
  await repaired('DELETE FROM posts');
  await restart();
  const isRefused = async () => {
    const answer = await fetch(house.base);
    return answer.status === 503 && answer.headers.has('retry-after');
  };
  if (await isRefused()) {
    await house.stop();
    await restart();
  }
  await expect.poll(async () => (await fetch(house.base)).status, patience).toBe(200);
  console.log((await (await fetch(`${house.base}/archive`)).text()).slice(-1500));
});
