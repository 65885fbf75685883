import { expect, test } from 'vitest';
import type { ChooseHome } from '../../../src-main/posts/post-store.ts';
import { postAtUrl, postUrl } from '../../../src-main/posts/address.ts';
import { expectSound, newStore, note, now } from '../../support/post-folder.ts';

const base = 'https://porch.example';

/** Posts live at `https://me.example/notes/slug/`, or with a number behind the slug. */
const choose: ChooseHome = (post, isFree) => {
  const slug = post.path.split('/').at(-1) ?? '';
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? slug : `${slug}-${attempt}`;
    const url = `https://me.example/notes/${name}/`;
    if (isFree(url)) return Promise.resolve({ url, file: `notes/${name}.md` });
  }
};

const openPosts = () => newStore({ chooseHome: choose });

test('a public post gets its own URL on the owner’s site, and is found there', async () => {
  const { posts } = await openPosts();
  const post = await posts.create(note('Tea on the porch'), { now });
  expect(post.home).toEqual({
    url: 'https://me.example/notes/tea-on-the-porch/',
    file: 'notes/tea-on-the-porch.md',
    former: [],
    written: {},
    liveAt: null,
  });
  expect(postUrl(base, post)).toBe('https://me.example/notes/tea-on-the-porch/');
  for (const url of [postUrl(base, post), `${postUrl(base, post)}#top`, `${base}${post.path}`])
    expect((await postAtUrl(posts, base, url))?.path).toBe(post.path);
  expect(await postAtUrl(posts, base, 'https://me.example/notes/coffee/')).toBeUndefined();
});

test('drafts and private posts get no URL there until they are public, and keep it afterwards', async () => {
  const { posts } = await openPosts();
  const draft = await posts.create({ ...note('Later'), status: 'draft' }, { now, slug: 'later' });
  expect(draft.home).toBeUndefined();
  const published = await posts.change(draft.path, (content) => ({ ...content, status: 'published' }), {
    now,
  });
  expect(published.home?.url).toBe('https://me.example/notes/later/');
  const hidden = await posts.change(published.path, (content) => ({ ...content, visibility: 'private' }), {
    now,
  });
  expect(hidden.home).toEqual(published.home);
});

test('two posts of the same slug in two months have two URLs, even if they are created at once', async () => {
  const { posts } = await openPosts();
  const dates = ['2026-10-01T08:00:00Z', '2026-11-01T08:00:00Z', '2026-09-01T08:00:00Z'];
  const made = await Promise.all(dates.map((date) => posts.create(note('Fog', date), { now, slug: 'fog' })));
  expect(made.map(({ home }) => home?.url).sort()).toEqual([
    'https://me.example/notes/fog-2/',
    'https://me.example/notes/fog-3/',
    'https://me.example/notes/fog/',
  ]);
});

test('a post that moves keeps its former URL, and the responses to it', async () => {
  const { posts, reopened } = await openPosts();
  const post = await posts.create(note('First'), { now, slug: 'first' });
  const written = { 'notes/first.md': 'abc' };
  await posts.setHome(post.path, (home) => home && { ...home, written, liveAt: new Date(now).toISOString() });
  const moved = await posts.change(post.path, (content) => content, { now, slug: 'second' });
  expect(moved.home).toEqual({
    url: 'https://me.example/notes/second/',
    file: 'notes/second.md',
    written,
    liveAt: null,
    former: ['https://me.example/notes/first/'],
  });
  const other = await posts.create(note('Another'), { now, slug: 'first' });
  expect(other.home?.url).toBe('https://me.example/notes/first-2/');
  const again = await reopened();
  expect((await postAtUrl(again.posts, base, 'https://me.example/notes/first/'))?.path).toBe(moved.path);
  await expectSound(again.records);
});

test('the origins at which posts have or had URLs are known', async () => {
  const { posts } = await openPosts();
  const post = await posts.create(note('First'), { now, slug: 'first' });
  await posts.create(note('Second'), { now, slug: 'second' });
  expect(await posts.homeOrigins()).toEqual(['https://me.example']);
  const former = ['http://old.example:8080/first/', 'https://older.example/'];
  await posts.setHome(post.path, (home) => home && { ...home, former });
  expect((await posts.homeOrigins()).sort()).toEqual([
    'http://old.example:8080',
    'https://me.example',
    'https://older.example',
  ]);
});

test('a change of a post’s home is not a change by its author', async () => {
  const { posts } = await openPosts();
  const post = await posts.create(note('Tea'), { now });
  const after = await posts.setHome(post.path, (home) => home && { ...home, written: { a: 'b' } });
  expect(after).toEqual({ ...post, home: { ...post.home, written: { a: 'b' } } });
  expect(await posts.history(post.path)).toEqual([]);
});
