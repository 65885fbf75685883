import type { Params, Result } from '../../src-main/contract/contract.ts';
import type { Post, PostItem } from '../../src-main/contract/posts.ts';
import type { SavedPost } from '../../src-main/contract/writing.ts';

const harbour = 'https://porch.marlow.example/media/2026/11/b7Qm-porch.jpg';

/** The posts of a lived-in house. `at`: minutes from now to a moment. */
export function somePosts(at: (minutes: number) => string): PostItem[] {
  const posts = [
    postItem(at(-30), { slug: 'the-lamp-is-on', summary: 'The lamp is on, and the kettle too.' }),
    postItem(at(-2000), {
      slug: 'on-porches',
      kind: 'article',
      name: 'On porches',
      summary: 'A porch is a room with one wall missing.',
    }),
    postItem(at(5000), {
      slug: 'market-day',
      name: 'Market day',
      summary: 'See you there.',
      status: 'scheduled',
    }),
    postItem(at(-300), {
      slug: 'fog',
      kind: 'photo',
      picture: harbour,
      summary: 'Fog over the harbour, before anybody was up and long before the first ferry came in.',
    }),
    postItem(at(-800), {
      slug: 'yes',
      kind: 'reply',
      summary: 'Yes, and bring the cat.',
      visibility: 'unlisted',
    }),
    postItem(at(-1500), { slug: 'well', kind: 'like' }),
    postItem(at(-1700), {
      slug: 'later',
      kind: 'bookmark',
      name: 'How lamps are made',
      visibility: 'private',
    }),
    postItem(at(-1900), { slug: 'salam', summary: 'مرحبا بكم في شرفتي' }),
    postItem(at(-2600), { slug: 'unfinished', name: 'Unfinished', status: 'draft' }),
    postItem(at(-9000), { slug: 'oops', summary: 'Not meant for here.', deletedAt: at(-8990) }),
  ];
  return posts.sort((a, b) => b.published.localeCompare(a.published));
}

/** What the service would list of them. */
export function listPosts(
  posts: readonly PostItem[],
  { query = '', kind, status, limit = 50, cursor = '0' }: Params<'posts.list'>,
): { items: PostItem[]; nextCursor?: string } {
  const start = Number(cursor);
  const found = posts
    .filter((post) => (post.deletedAt !== null) === (status === 'deleted'))
    .filter((post) => status === undefined || status === 'deleted' || post.status === status)
    .filter((post) => kind === undefined || post.kind === kind)
    .filter(({ name, summary }) => `${name} ${summary}`.toLowerCase().includes(query.toLowerCase()));
  const end = start + limit;
  return { items: found.slice(start, end), ...(end < found.length && { nextCursor: String(end) }) };
}

/** Very many notes, newest first. */
export function manyPosts(count: number): PostItem[] {
  const start = Date.parse('2026-11-21T08:00:00Z');
  return Array.from({ length: count }, (_, index) =>
    postItem(new Date(start - index * 60_000).toISOString(), {
      slug: `note-${index}`,
      summary: `Note number ${index}`,
    }),
  );
}

/** A note that was just written in the window. */
export function newPost({ text = '', visibility, status }: Params<'posts.create'>, now: string): SavedPost {
  const item = postItem(now, { slug: `new-${text.length}`, summary: text, visibility, status });
  return { ...item, version: 'first' };
}

/** A post of the house in the form in which the owner writes it. */
export function sourceOf({ name, summary, visibility, ...item }: PostItem): Result<'posts.source'> {
  const status = item.status === 'draft' ? 'draft' : 'published';
  return {
    text: summary,
    format: 'plain',
    photos: [],
    categories: [],
    visibility,
    status,
    version: 'first',
    ...(name !== '' && { name }),
    ...(status === 'published' && { published: item.published }),
  };
}

/** The whole post that an item shows. */
export function postOf({ path, name, summary, visibility, published, deletedAt, ...item }: PostItem): Post {
  const status = item.status === 'draft' ? 'draft' : 'published';
  const properties = {
    ...(name !== '' && { name: [name] }),
    ...(item.kind === 'reply' && { 'in-reply-to': ['https://wren.example/cats'] }),
    ...(item.kind === 'photo' && {
      photo: [{ value: harbour, alt: 'A grey harbour' }],
      category: ['harbour', 'morning'],
    }),
    content: [summary],
    published: [published],
  };
  const moments = { createdAt: published, updatedAt: published, deletedAt };
  return { path, type: ['h-entry'], properties, commands: {}, status, visibility, ...moments };
}

/** The earlier versions of a post that an app and its owner have changed. */
export const someVersions: Result<'posts.history'>['items'] = [
  {
    id: 'second',
    replacedAt: '2026-11-20T18:30:00.000Z',
    by: 'Quill',
    changes: ['content'],
    name: 'On porches',
    summary: 'A porch was a room with one wall missing.',
  },
  {
    id: 'first',
    replacedAt: '2026-11-20T08:00:00.000Z',
    by: null,
    changes: ['post-status'],
    name: 'On porches',
    summary: 'A porch was a room with one wall missing.',
  },
];

/** A post as the site shows it. */
export function pageOf({ name, summary, kind, url }: PostItem): Result<'posts.page'> {
  const title = name === '' ? '' : `<h1>${name}</h1>`;
  const answered = 'https://wren.example/cats';
  const reply = kind === 'reply' ? `<p>In reply to <a href="${answered}">${answered}</a></p>` : '';
  const photo =
    kind === 'photo' ? `<img src="${harbour}" alt="A grey harbour" width="640" height="480">` : '';
  const html = `<article>${title}${reply}${photo}<p>${summary}</p><p><a href="${url}">Today</a></p></article>`;
  return {
    html,
    css: ':root { --line: #ddd; } body { font-family: sans-serif; } img { max-width: 100%; height: auto; }',
  };
}

function postItem(published: string, post: Partial<PostItem> & { slug: string }): PostItem {
  const { slug, ...rest } = post;
  const path = `/posts/2026/11/${slug}`;
  return {
    path,
    url: `https://porch.marlow.example${path}`,
    kind: 'note',
    name: '',
    summary: '',
    status: 'published',
    visibility: 'public',
    published,
    deletedAt: null,
    ...rest,
  };
}
