import { expect, test } from 'vitest';
import { postHandlers } from '../../../src-main/posts/owner.ts';
import { content, newStore, note, now } from '../../support/post-folder.ts';

const base = 'https://porch.example';

async function owner() {
  const { posts } = await newStore();
  const changes: string[] = [];
  const words: string[] = [];
  const handlers = postHandlers({
    posts,
    settings: () => ({ micropub: { categories: ['garden', 'tea'] } }),
    base: () => base,
    clock: () => now,
    zone: () => 'UTC',
    changed: ({ post, change }) => Promise.resolve(void changes.push(`${change} ${post.path}`)),
    page: () => Promise.resolve({ html: '', css: '' }),
    copyRestored: () => Promise.resolve(),
    nameOfApp: (app) => app,
    activity: {
      record: (_kind, said) => Promise.resolve(void words.push(said)),
    },
  });
  return { posts, changes, words, handlers };
}

test('the window lists posts in pages, with deleted ones only on request', async () => {
  const { posts, handlers } = await owner();
  await posts.create(note('One', '2026-11-01T09:00:00+01:00'), { slug: 'one', now });
  await posts.create(content({ name: ['Two'], content: ['The  text'] }), { slug: 'two', now });
  const first = await handlers['posts.list']({ limit: 1 });
  expect(first.items).toEqual([
    {
      path: '/posts/2026/11/two',
      url: `${base}/posts/2026/11/two`,
      kind: 'article',
      name: 'Two',
      summary: 'The text',
      status: 'published',
      visibility: 'public',
      published: '2026-11-20T10:00:00.000Z',
      deletedAt: null,
    },
  ]);
  const second = await handlers['posts.list']({ limit: 1, cursor: first.nextCursor ?? '' });
  expect(second.items.map(({ published }) => published)).toEqual(['2026-11-01T09:00:00+01:00']);
  expect(second).not.toHaveProperty('nextCursor');
  await handlers['posts.delete']({ url: `${base}/posts/2026/11/two` });
  expect((await handlers['posts.list']({ status: 'deleted' })).items.map(({ name }) => name)).toEqual([
    'Two',
  ]);
  expect((await handlers['posts.list']({ query: 'text' })).items).toEqual([]);
});

test('the window can offer the owner’s categories, and then those of the posts, most used first', async () => {
  const { posts, handlers } = await owner();
  for (const [slug, category] of [
    ['one', ['porch']],
    ['two', ['winter', 'tea']],
    ['three', ['winter']],
  ] as const)
    await posts.create(content({ content: [slug], category: [...category] }), { slug, now });
  expect(await handlers['posts.categories']()).toEqual(['garden', 'tea', 'winter', 'porch']);
});

test('a post without words is recognized by its response', async () => {
  const { posts, handlers } = await owner();
  const target = 'https://a.example/post/1/';
  await posts.create(content({ 'like-of': [target] }), { slug: 'one', now });
  await posts.create(content({ 'in-reply-to': [target], content: ['Yes'] }), { slug: 'two', now });
  const { items } = await handlers['posts.list']({});
  expect(items.map(({ summary }) => summary).sort()).toEqual(['Liked a.example/post/1', 'Yes']);
});

test('the owner deletes a post and restores it, and listeners learn of each once', async () => {
  const { posts, changes, words, handlers } = await owner();
  const { path } = await posts.create(note('One'), { slug: 'one', now });
  const url = base + path;
  await handlers['posts.delete']({ url });
  await handlers['posts.delete']({ url });
  expect((await handlers['posts.get']({ url })).item.deletedAt).toBe('2026-11-20T10:00:00.000Z');
  await handlers['posts.undelete']({ url });
  expect((await handlers['posts.get']({ url })).post.deletedAt).toBeNull();
  // The first deletion may have failed halfway, so the other parts hear of the second one, too.
  expect(changes).toEqual([`deleted ${path}`, `deleted ${path}`, `undeleted ${path}`]);
  expect(words).toEqual([`You deleted a note: “One” (${url})`, `You restored a note: “One” (${url})`]);
});

test.each(['https://elsewhere.example/posts/2026/11/one', `${base}/posts/2026/11/two`, 'not a url'])(
  'the window learns that %s is not here',
  async (url) => {
    const { posts, handlers } = await owner();
    await posts.create(note('One'), { slug: 'one', now });
    await expect(handlers['posts.delete']({ url })).rejects.toMatchObject({ code: 'not_found', status: 404 });
  },
);
