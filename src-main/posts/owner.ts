import type { Common } from '../http/common.ts';
import { pageInWords } from '../contract/activity.ts';
import type { Handlers, Params, Result } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { postKinds } from '../contract/post-kinds.ts';
import type { Post, PostFiles, PostItem } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import { promised } from '../storage/pacing.ts';
import type { Activity } from '../storage/records/activity.ts';
import { postAtUrl, postUrl } from './address.ts';
import type { FileChange, ReadFiles, ReadOrder } from './file-edits.ts';
import type { FilesFound } from './file-differences.ts';
import { versionOf } from './post-content.ts';
import { postKindOf } from './kind.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import type { ChangedPost, PostFilter, PostStore } from './post-store.ts';
import { responseWords } from './rendering/citation.ts';
import { momentWords } from './rendering/moment.ts';
import { postText } from './content-text.ts';
import { firstPictureOf } from './post-media.ts';
import { publishedAt } from './visibility.ts';

export interface PostDeps extends Pick<Common, 'base' | 'clock'> {
  readonly posts: PostStore;
  readonly settings: () => { readonly micropub: Pick<Settings['micropub'], 'categories'> };
  /** Returns the name of the owner's time zone. */
  readonly zone: () => string;
  readonly activity: Pick<Activity, 'record'>;
  /**
   * Called when the owner changes a post. Resolves when everything that must be saved along with the change is on disk.
   */
  readonly changed: (change: ChangedPost) => Promise<void>;
}

interface PostHandlerDeps extends PostDeps {
  /** Returns the name of an app by Bearer.app. */
  readonly nameOfApp: (app: string) => string;
  readonly posts: PostStore & Pick<OwnerPostStore, 'damaged' | 'restoreCopy'>;
  /** Returns a post as the site shows it, without fetching anything. */
  readonly page: (post: Post) => Promise<Result<'posts.page'>>;
  /** Called when a post was restored from its copy. */
  readonly copyRestored: (post: Post) => Promise<void>;
}

const usualPage = 50;
const summaryLength = 280;
const mostCategories = 1000;
const mostDamaged = 20;

/** Creates the handlers for the window's calls about posts. */
export function postHandlers(deps: PostHandlerDeps) {
  const { posts, settings, base, clock, activity, changed, copyRestored, page, nameOfApp } = deps;
  const find = (url: string) => ownPost(posts, base(), url);

  async function setDeleted(url: string, deleted: boolean): Promise<PostItem> {
    const before = await find(url);
    const post = await posts.setDeleted(before.path, deleted, clock());
    const item = itemOf(post, base(), clock());
    const isRepeated = (before.deletedAt !== null) === deleted;
    if (isRepeated && !deleted) return item;
    const changedPost = { post, change: deleted ? 'deleted' : 'undeleted', before, url: item.url } as const;
    // Report a repeated deletion, too. The first deletion may have failed, or the process may have been killed before
    // reporting it.
    await changed(changedPost);
    if (!isRepeated) await activity.record(`post.${changedPost.change}`, postWords('You', changedPost, item));
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
        isBegun: true,
      });
      return {
        items: items.map((post) => ({
          ...itemOf(post, base(), clock()),
          ...(post.createdBy !== undefined && { createdBy: nameOfApp(post.createdBy) }),
        })),
        ...(after !== undefined && { nextCursor: after }),
      };
    },

    'posts.get': async ({ url }) => {
      const post = await find(url);
      return { item: itemOf(post, base(), clock()), post, version: versionOf(post) };
    },

    'posts.page': async ({ url }) => page(await find(url)),

    'posts.delete': ({ url }) => setDeleted(url, true),
    'posts.undelete': ({ url }) => setDeleted(url, false),

    'posts.damaged': async () =>
      (await posts.damaged(mostDamaged)).map(({ path, copy, movedTo }) => ({
        path,
        url: new URL(path, base()).href,
        movedTo,
        item: copy && itemOf(copy, base(), clock()),
      })),

    'posts.restoreCopy': async ({ path }) => {
      const post = await posts.restoreCopy(path);
      if (post === undefined) return { item: null };
      const item = itemOf(post, base(), clock());
      await activity.record('post.restored', `You restored ${path} from the last copy of it.`);
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
  const picture = firstPictureOf(properties, base);
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
    ...(picture !== undefined && { picture }),
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

/**
 * Describes a change to a post as a sentence without the final period: “Quill saved a draft: “On porches” (https://…)”.
 * `who`: an app's name, or “You”. `item`: the changed post, as shown in a list.
 */
export function postWords(
  who: string,
  { change, before }: Pick<ChangedPost, 'change' | 'before'>,
  item: PostItem,
): string {
  return `${who} ${deed(change, before?.status, item)}: ${pageInWords(item.url, item.name || item.summary)}`;
}

function deed(
  change: ChangedPost['change'],
  before: 'published' | 'draft' | undefined,
  item: PostItem,
): string {
  const kind = postKinds[item.kind].one;
  const what = item.status === 'draft' ? 'a draft' : kind;
  if (change === 'deleted') return `deleted ${what}`;
  if (change === 'undeleted') return `restored ${what}`;
  if (change === 'created' || before !== item.status) {
    if (item.status === 'draft')
      return before === 'published' ? `changed ${kind} to a draft` : 'saved a draft';
    if (item.status === 'scheduled' && (change === 'created' || before === 'draft'))
      return `scheduled ${kind} for ${momentWords(item.published) ?? item.published}`;
    if (item.status === 'published') return `published ${kind}`;
  }
  return `updated ${what}`;
}

/**
 * Creates the handlers for the window's calls about the files of posts. `found`: returns how they differ from the posts, as
 * far as is known.
 */
export const fileHandlers = (
  found: () => FilesFound,
  read: (order: ReadOrder) => Promise<ReadFiles>,
  changed: (change: FileChange) => Promise<void>,
  activity: Pick<Activity, 'record'>,
) =>
  ({
    'posts.files': promised(() => {
      const { conflicts: _conflicts, ...files } = found();
      return { ...files, unreadable: [...files.unreadable] } as PostFiles;
    }),
    'posts.readFiles': async (order) => {
      const { result, changes } = await read(order);
      for (const change of changes) await changed(change);
      const count = result.changed.length + result.added.length;
      if (count > 0)
        await activity.record(
          'post.files_read',
          `You read ${count} edited ${count === 1 ? 'file' : 'files'} of posts.`,
        );
      return result as PostFiles;
    },
  }) satisfies Partial<Handlers>;
