import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Post, PostChange, PostItem } from '../contract/posts.ts';
import { contentText } from '../micropub/content-text.ts';
import { kindOf } from '../micropub/post-kind.ts';
import type { PostStore } from '../micropub/post-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Activity } from './activity.ts';

export interface PostDeps {
  readonly posts: PostStore;
  /** The public origin. */
  readonly base: () => string;
  readonly clock: Clock;
  readonly activity: Activity;
  /** Tells the rest of the house that the owner changed a post. */
  readonly changed: (post: Post, change: PostChange['change']) => void;
}

const usualPage = 50;
const summaryLength = 280;

/** What the window asks about posts. */
export function postHandlers({
  posts,
  base,
  clock,
  activity,
  changed,
}: PostDeps): Pick<Handlers, 'posts.list' | 'posts.get' | 'posts.delete' | 'posts.undelete'> {
  async function find(url: string): Promise<Post> {
    const path = pathIn(url, base());
    const post = path === undefined ? undefined : await posts.get(path);
    if (post === undefined) throw new PorchlightError('not_found', 'This post is not here any more.', 404);
    return post;
  }

  async function setDeleted(url: string, deleted: boolean): Promise<PostItem> {
    const { path, deletedAt } = await find(url);
    const post = await posts.setDeleted(path, deleted, clock());
    const item = itemOf(post, base());
    // Asked twice, it happened once.
    if ((deletedAt !== null) === deleted) return item;
    changed(post, deleted ? 'deleted' : 'undeleted');
    const words = deleted ? 'You deleted' : 'You brought back';
    await activity.tell(deleted ? 'post.deleted' : 'post.undeleted', `${words} ${titleOf(item)}.`);
    return item;
  }

  return {
    'posts.list': async ({ query, kind, status, limit = usualPage, cursor }) => {
      const { items, after } = await posts.list({
        limit,
        ...(cursor !== undefined && { after: cursor }),
        filter: {
          ...(query !== undefined && { text: query }),
          ...(kind !== undefined && { kind }),
          ...(status === 'deleted' ? { deleted: true } : status !== undefined && { status }),
        },
      });
      return {
        items: items.map((post) => itemOf(post, base())),
        ...(after !== undefined && { nextCursor: after }),
      };
    },

    'posts.get': async ({ url }) => {
      const post = await find(url);
      return { item: itemOf(post, base()), post };
    },

    'posts.delete': ({ url }) => setDeleted(url, true),
    'posts.undelete': ({ url }) => setDeleted(url, false),
  };
}

/** A post as a list shows it. `base`: the public origin. */
function itemOf(post: Post, base: string): PostItem {
  const { path, properties, type, status, visibility, createdAt, deletedAt } = post;
  const published = properties.published?.[0];
  return {
    path,
    url: new URL(path, base).href,
    kind: kindOf(properties, type),
    name: oneLine(properties.name?.find((value) => typeof value === 'string') ?? ''),
    summary: oneLine(contentText(properties)),
    status,
    visibility,
    published: typeof published === 'string' ? published : createdAt,
    deletedAt,
  };
}

/** Cut between characters, never inside one. */
const oneLine = (text: string) =>
  Array.from(
    text
      .slice(0, 4 * summaryLength)
      .replace(/\s+/g, ' ')
      .trim(),
  )
    .slice(0, summaryLength)
    .join('');

const titleOf = ({ kind, name, path }: PostItem) =>
  name === '' ? `the ${kind} at ${path}` : `the ${kind} “${name}”`;

function pathIn(url: string, base: string): string | undefined {
  if (!URL.canParse(url, base)) return undefined;
  const { origin, pathname } = new URL(url, base);
  return origin === new URL(base).origin ? pathname : undefined;
}
