import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { patience } from '../../support/patience.ts';
import { type Porchlight, startPorchlight } from '../../support/porchlight.ts';

let house: Porchlight;
beforeEach(async () => {
  house = await startPorchlight();
});
afterEach(() => house.remove());

const none = { changed: [], added: [], missing: [], ended: [], unreadable: [] };

const create = (text: string, slug: string): Promise<PostItem> =>
  house.call('posts.create', {
    requestId: slug,
    text,
    format: 'plain',
    slug,
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });

const nameOf = ({ path }: PostItem) => `${path.slice('/posts/'.length)}.json`;
const pathOf = (name: string) => join(house.dataDir, 'posts', name);

interface Copy {
  post: { properties: { content: string[] }; deletedAt: string | null };
  counter: number;
}
const read = async (name: string): Promise<Copy | undefined> =>
  readFile(pathOf(name), 'utf8').then(
    (text) => JSON.parse(text) as Copy,
    () => undefined,
  );

/** Resolves with the file of a post once it shows `text`. */
async function written(post: PostItem, text: string): Promise<Copy> {
  const name = nameOf(post);
  await expect.poll(async () => (await read(name))?.post.properties.content[0], patience).toBe(text);
  return (await read(name)) as Copy;
}

async function edit(post: PostItem, change: (copy: Copy) => void): Promise<void> {
  const copy = (await read(nameOf(post))) as Copy;
  change(copy);
  await writeFile(pathOf(nameOf(post)), JSON.stringify(copy));
}

async function restart(): Promise<void> {
  await house.stop();
  house = await startPorchlight({ dataDir: house.dataDir });
  const current = house;
  onTestFinished(() => current.remove());
}

const urlOf = ({ path }: PostItem) => house.base + path;
const textOf = async (post: PostItem) =>
  (await house.call('posts.get', { url: urlOf(post) })).post.properties.content?.[0];

test('an edited file changes nothing until the owner asks, and is reported after a start', async () => {
  const post = await create('The lamp is on.', 'lamp');
  await written(post, 'The lamp is on.');
  await edit(post, (copy) => (copy.post.properties.content = ['The lamp is off.']));
  await restart();
  expect(await textOf(post)).toBe('The lamp is on.');
  await expect
    .poll(async () => (await house.call('status.get', {})).problems.map(({ code }) => code), patience)
    .toEqual(['edited_files']);
  expect(await house.call('posts.files', {})).toEqual({ ...none, changed: [nameOf(post)] });

  expect(await house.call('posts.readFiles', {})).toEqual({ ...none, changed: [nameOf(post)] });
  expect(await textOf(post)).toBe('The lamp is off.');
  expect((await house.call('status.get', {})).problems).toEqual([]);
  const { items } = await house.call('posts.history', { url: urlOf(post) });
  expect(items).toMatchObject([{ by: null }]);
  const { version } = await house.call('posts.get', { url: urlOf(post) });
  await house.call('posts.restoreVersion', { url: urlOf(post), id: items[0]?.id ?? '', ifVersion: version });
  await written(post, 'The lamp is on.');
});

test('a file that was copied back, or only formatted, is no edit', async () => {
  const post = await create('The lamp is on.', 'lamp');
  const copy = await written(post, 'The lamp is on.');
  await house.stop();
  await writeFile(pathOf(nameOf(post)), `${JSON.stringify(copy)}\n\n`);
  house = await startPorchlight({ dataDir: house.dataDir });
  expect(await house.call('posts.readFiles', {})).toEqual(none);
});

test('a new file becomes a post, and a renamed one moves its post', async () => {
  const post = await create('The lamp is on.', 'lamp');
  await written(post, 'The lamp is on.');
  const month = dirname(nameOf(post));
  const copy = JSON.parse(await readFile(pathOf(nameOf(post)), 'utf8')) as object;
  await writeFile(pathOf(`${month}/second.json`), JSON.stringify(copy));
  const read = await house.call('posts.readFiles', {});
  expect(read).toMatchObject({ added: [], unreadable: [{ file: `${month}/second.json` }] });
  expect(read.unreadable[0]?.reason).toBe(`it is a copy of posts/${nameOf(post)}`);

  const { id: _id, ...fresh } = copy as { id: string };
  await writeFile(pathOf(`${month}/second.json`), JSON.stringify(fresh));
  expect(await house.call('posts.readFiles', {})).toMatchObject({ added: [`${month}/second.json`] });
  expect((await house.call('posts.list', {})).items).toHaveLength(2);

  await rename(pathOf(nameOf(post)), pathOf(`${month}/third.json`));
  expect(await house.call('posts.readFiles', {})).toMatchObject({
    added: [`${month}/third.json`],
    missing: [],
  });
  const answer = await fetch(post.url, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([301, post.url.replace('/lamp', '/third')]);
});

test('a file that is gone deletes nothing by itself', async () => {
  const post = await create('The lamp is on.', 'lamp');
  await written(post, 'The lamp is on.');
  await rm(pathOf(nameOf(post)));
  // No call has named it yet.
  expect(await house.call('posts.readFiles', { missing: 'delete' })).toEqual({
    ...none,
    missing: [nameOf(post)],
  });
  expect(await textOf(post)).toBe('The lamp is on.');
  expect(await house.call('posts.readFiles', { missing: 'write' })).toEqual(none);
  await written(post, 'The lamp is on.');
  await rm(pathOf(nameOf(post)));
  expect(await house.call('posts.readFiles', {})).toEqual({ ...none, missing: [nameOf(post)] });
  await house.call('posts.readFiles', { missing: 'delete' });
  expect((await house.call('posts.list', { status: 'deleted' })).items).toHaveLength(1);
});

test('more than ten posts are deleted only if the call is repeated, and none while the folder is gone', async () => {
  const posts = await Promise.all(Array.from({ length: 11 }, (_, turn) => create('Lamp', `lamp-no-${turn}`)));
  for (const post of posts) await written(post, 'Lamp');
  for (const post of posts) await rm(pathOf(nameOf(post)));
  const deleted = async () => (await house.call('posts.list', { status: 'deleted' })).items.length;
  expect((await house.call('posts.readFiles', {})).missing).toHaveLength(11);
  await house.call('posts.readFiles', { missing: 'delete' });
  expect(await deleted()).toBe(0);
  await rename(join(house.dataDir, 'posts'), join(house.dataDir, 'away'));
  await house.call('posts.readFiles', { missing: 'delete' });
  await house.call('posts.readFiles', { missing: 'delete' });
  expect(await deleted()).toBe(0);
  await rm(join(house.dataDir, 'posts'), { recursive: true, force: true });
  await mkdir(join(house.dataDir, 'posts'));
  expect((await house.call('posts.readFiles', {})).missing).toHaveLength(11);
  await house.call('posts.readFiles', { missing: 'delete' });
  await house.call('posts.readFiles', { missing: 'delete' });
  expect(await deleted()).toBe(11);
});

test('an older file brings back what ended since only if the owner names it', async () => {
  const post = await create('The lamp is on.', 'lamp');
  await written(post, 'The lamp is on.');
  const older = await readFile(pathOf(nameOf(post)), 'utf8');
  await house.call('posts.delete', { url: post.url });
  await expect.poll(async () => (await read(nameOf(post)))?.post.deletedAt, patience).not.toBe(null);
  await writeFile(pathOf(nameOf(post)), older);
  expect(await house.call('posts.readFiles', {})).toEqual({ ...none, ended: [nameOf(post)] });
  expect((await fetch(post.url)).status).toBe(410);
  await house.call('posts.readFiles', { bringBack: [nameOf(post)] });
  expect((await fetch(post.url)).status).toBe(200);
});

test('an edited file is kept before its post changes', async () => {
  const post = await create('The lamp is on.', 'lamp');
  await written(post, 'The lamp is on.');
  await edit(post, (copy) => (copy.post.properties.content = ['My own words']));
  await house.call('posts.delete', { url: post.url });
  await expect.poll(async () => (await read(nameOf(post)))?.post.deletedAt ?? null, patience).not.toBe(null);
  expect((await read(`${nameOf(post)}.edited`))?.post.properties.content).toEqual(['My own words']);
});

test('a file that isn’t a post is named, never opened or followed, and stays', async () => {
  const post = await create('The lamp is on.', 'lamp');
  await written(post, 'The lamp is on.');
  const month = dirname(nameOf(post));
  await writeFile(pathOf(`${month}/broken.json`), '{');
  await mkdir(pathOf(`${month}/folder.json`));
  await writeFile(pathOf(`${month}/huge.json`), ' '.repeat(11_000_000));
  const { unreadable, ...rest } = await house.call('posts.readFiles', {});
  expect(rest).toEqual({ changed: [], added: [], missing: [], ended: [] });
  expect(unreadable.map(({ file }) => file.slice(month.length + 1)).sort()).toEqual([
    'broken.json',
    'folder.json',
    'huge.json',
  ]);
  expect(await readFile(pathOf(`${month}/broken.json`), 'utf8')).toBe('{');
});
