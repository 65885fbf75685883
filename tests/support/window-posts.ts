import type { Params } from '../../src-main/contract/contract.ts';
import type { Post, PostItem } from '../../src-main/contract/posts.ts';

/** The posts of a lived-in house. `at`: minutes from now to a moment. */
export function somePosts(at: (minutes: number) => string): PostItem[] {
  return [
    postItem(at(-30), { slug: 'the-lamp-is-on', summary: 'The lamp is on, and the kettle too.' }),
    postItem(at(-2000), {
      slug: 'on-porches',
      kind: 'article',
      name: 'On porches',
      summary: 'A porch is a room with one wall missing.',
    }),
    postItem(at(-2600), { slug: 'unfinished', name: 'Unfinished', status: 'draft' }),
    postItem(at(-9000), { slug: 'oops', summary: 'Not meant for here.', deletedAt: at(-8990) }),
  ];
}

/** What the service would list of them. */
export function wantedPosts(
  posts: readonly PostItem[],
  { query = '', kind, status, limit = 50 }: Params<'posts.list'>,
): PostItem[] {
  return posts
    .filter((post) => (post.deletedAt !== null) === (status === 'deleted'))
    .filter((post) => status === undefined || status === 'deleted' || post.status === status)
    .filter((post) => kind === undefined || post.kind === kind)
    .filter(({ name, summary }) => `${name} ${summary}`.toLowerCase().includes(query.toLowerCase()))
    .slice(0, limit);
}

/** The whole post that an item shows. */
export function postOf({ path, name, summary, status, visibility, published, deletedAt }: PostItem): Post {
  const properties = { ...(name !== '' && { name: [name] }), content: [summary], published: [published] };
  const moments = { createdAt: published, updatedAt: published, deletedAt };
  return { path, type: ['h-entry'], properties, commands: {}, status, visibility, ...moments };
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
