import type { Handlers, Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Post, PostItem } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import { postAtUrl, postUrl } from './address.ts';
import { publishedAt } from './published.ts';
import { postText } from './content-text.ts';
import { postKindOf } from './kind.ts';
import { versionOf } from './version.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import type { PostFilter, PostStore } from './post-store.ts';
import type { Clock } from '../platform/clock.ts';
import { responseWords } from './rendering/citation.ts';
import { contentHtml } from './rendering/content-html.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { ChangedPost } from './changed-post.ts';
import { postWords } from './post-words.ts';

export interface PostDeps {
  readonly posts: PostStore;
  readonly settings: () => { readonly micropub: Pick<Settings['micropub'], 'categories'> };
  /** Returns the public origin. */
  readonly base: () => string;
  readonly clock: Clock;
  /** Returns the name of the owner's time zone. */
  readonly zone: () => string;
  readonly activity: Activity;
  /**
   * Called when the owner changes a post. Resolves when everything that must be saved along with the change is on disk.
   */
  readonly changed: (change: ChangedPost) => Promise<void>;
}

interface PostHandlerDeps extends PostDeps {
  readonly posts: PostStore & Pick<OwnerPostStore, 'damaged' | 'restoreCopy'>;
  /** Called when a post was restored from its copy. */
  readonly copyRestored: (post: Post) => Promise<void>;
}

const usualPage = 50;
const summaryLength = 280;
const mostCategories = 1000;
const mostDamaged = 20;

/** Creates the handlers for the window's calls about posts. */
export function postHandlers(deps: PostHandlerDeps) {
  const { posts, settings, base, clock, activity, changed, copyRestored } = deps;
  const find = (url: string) => ownPost(posts, base(), url);

  async function setDeleted(url: string, deleted: boolean): Promise<PostItem> {
    const before = await find(url);
    const post = await posts.setDeleted(before.path, deleted, clock());
    const item = itemOf(post, base(), clock());
    const isRepeated = (before.deletedAt !== null) === deleted;
    if (isRepeated && !deleted) return item;
    const told = { post, change: deleted ? 'deleted' : 'undeleted', before, url: item.url } as const;
    // Report a repeated deletion, too. The first deletion may have failed, or the process may have been killed before
    // reporting it.
    await changed(told);
    if (!isRepeated) await activity.tell(`post.${told.change}`, postWords('You', told, item));
    return item;
  }

  return {
    'posts.categories': async () =>
      [...new Set([...settings().micropub.categories, ...(await posts.categories())])].slice(
        0,
        mostCategories,
      ),

    'posts.list': async ({ query, kind, status, limit = usualPage, cursor }) => {
      const { items, after } = await posts.list({
        limit,
        ...(cursor !== undefined && { after: cursor }),
        filter: {
          ...(query !== undefined && { text: query }),
          ...(kind !== undefined && { kind }),
          ...filterOf(status, clock()),
        },
      });
      return {
        items: items.map((post) => itemOf(post, base(), clock())),
        ...(after !== undefined && { nextCursor: after }),
      };
    },

    'posts.get': async ({ url }) => {
      const post = await find(url);
      return {
        item: itemOf(post, base(), clock()),
        post,
        html: contentHtml(post, base()),
        version: versionOf(post),
      };
    },

    'posts.delete': async ({ url }) => {
      const item = await setDeleted(url, true);
      return { ...item, saved: posts.isSaved(item.path) };
    },
    'posts.undelete': ({ url }) => setDeleted(url, false),

    'posts.damaged': async () =>
      (await posts.damaged(mostDamaged)).map(({ path, copy, movedTo }) => ({
        ...{ path, url: new URL(path, base()).href, movedTo },
        item: copy && itemOf(copy, base(), clock()),
      })),

    'posts.restoreCopy': async ({ path }) => {
      const post = await posts.restoreCopy(path);
      if (post === undefined) return { item: null };
      const item = itemOf(post, base(), clock());
      await activity.tell('post.restored', `You restored ${path} from the last copy of it.`);
      await copyRestored(post);
      return { item };
    },
  } satisfies Partial<Handlers>;
}

/** Returns the filter that finds the posts of a given status in the post store. `now`: the time in ms. */
function filterOf(status: Params<'posts.list'>['status'], now: number): PostFilter {
  switch (status) {
    case 'deleted':
      return { deleted: true };
    case 'scheduled':
      return { status: 'published', publishedAfter: now };
    case 'published':
      return { status, publishedBy: now };
    default:
      return status === undefined ? {} : { status };
  }
}

/** Converts a post to an item of the window's list. `base`: the public origin. `now`: the time in ms. */
export function itemOf(post: Post, base: string, now: number): PostItem {
  const { path, properties, status, visibility, createdAt, deletedAt } = post;
  const published = properties.published?.[0];
  return {
    path,
    url: postUrl(base, post),
    kind: postKindOf(post),
    name: shortenedLine(properties.name?.find((value) => typeof value === 'string') ?? ''),
    summary: shortenedLine(postText(properties) || (responseWords(properties, base) ?? '')),
    status: isScheduled(post, now) ? 'scheduled' : status,
    visibility,
    published: typeof published === 'string' ? published : createdAt,
    deletedAt,
  };
}

function isScheduled(post: Post, now: number): boolean {
  return post.status === 'published' && publishedAt(post) > now;
}

/** Returns the text on one line, shortened without splitting a character. */
export const shortenedLine = (text: string) =>
  Array.from(
    text
      .slice(0, 4 * summaryLength)
      .replace(/\s+/g, ' ')
      .trim(),
  )
    .slice(0, summaryLength)
    .join('');

/**
 * Returns the post at a URL, which may also be an earlier URL of a post that has moved.
 * @throws PorchlightError `not_found`
 */
export async function ownPost(posts: PostStore, base: string, url: string): Promise<Post> {
  const post = await postAtUrl(posts, base, url);
  if (post === undefined) throw new PorchlightError('not_found', 'This post no longer exists.', 404);
  return post;
}
