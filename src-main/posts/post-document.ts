import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from 'typebox';
import { Post, type Properties } from '../contract/posts.ts';
import { closed, Moment, orNull } from '../contract/shapes.ts';
import { UnsavedEdits } from '../contract/writing.ts';
import { unchanged } from '../storage/document-format.ts';
import { copiedJson } from '../storage/json-value.ts';
import { postUrl } from './address.ts';
import { postPath, type PostPlace } from './post-path.ts';
import type { PostContent } from './post-store.ts';
import { hasDate, publishedOf } from './visibility.ts';

const { type, properties, commands, status, visibility, markdown, editedAt } = Post.properties;
const { createdAt, updatedAt, deletedAt, ownDate, createdBy, home, feedId } = Post.properties;

/** A post as stored in its document. The document's location determines the post's path. */
export const StoredPost = closed({
  type,
  properties,
  commands,
  status,
  visibility,
  createdAt,
  updatedAt,
  deletedAt,
  ownDate,
  createdBy,
  markdown,
  editedAt,
  home,
  feedId,
});
export type StoredPost = Static<typeof StoredPost>;

/** An earlier version of a post. `by`: the name of the app that replaced this version; null for the owner. */
export const EarlierPost = closed({
  replacedAt: Moment,
  by: orNull(Type.String()),
  content: closed({ type, properties, commands, status, visibility, markdown, editedAt }),
});
export type EarlierPost = Static<typeof EarlierPost>;

/** What a post from an export of Porchlight has besides its content: see StoredPost and PostDocument. */
export interface EarlierContent {
  readonly history: readonly EarlierPost[];
  readonly editedAt?: string | undefined;
  readonly feedId?: string | undefined;
}

/** Changes that the owner has made in the editor but not saved to the post. */
export type Edits = Static<typeof UnsavedEdits>;

const maybePath = Type.Union([Type.String(), Type.Null()]);

/**
 * The content of `posts/YYYY/MM/<slug>.json`, the file copy of a row: a post, or a redirect to the path that the post has
 * moved to.
 */
export const PostDocument = closed({
  post: Type.Union([StoredPost, Type.Null()]),
  movedTo: maybePath,
  /** The path that the post moved from, in files of versions in which the file was the post itself. */
  movedFrom: maybePath,
  /** The earlier versions of the post, newest first. */
  history: Type.Array(EarlierPost),
  edits: orNull(UnsavedEdits),
  /** The id of the post, the number of the row (see PostRow), and the seal (see sealOf). Older files have none. */
  id: Type.Optional(Type.String({ pattern: '^[\\w-]{16,64}$' })),
  counter: Type.Optional(Type.Integer({ minimum: 1 })),
  seal: Type.Optional(Type.String({ maxLength: 64 })),
  /** Whether something newer may be missing after a repair. Only in backups. */
  doubtful: Type.Optional(Type.Literal(true)),
});
export type PostDocument = Static<typeof PostDocument>;

export const emptyPostDocument: PostDocument = {
  post: null,
  movedTo: null,
  movedFrom: null,
  history: [],
  edits: null,
};

/**
 * Format 2 added the app that created the post. A Porchlight version that knows only format 1 refuses to open a
 * document in format 2, so it can't change the document. Format 3 added Markdown, earlier versions, unsaved edits and
 * the post's location on the owner's own site.
 */
export const postFormat = {
  schema: PostDocument,
  kind: 'post' as const,
  format: 3,
  initial: emptyPostDocument,
  essential: ['post'],
  migrations: { 1: unchanged, 2: unchanged },
};

/**
 * Returns a post with the id of its entry in feeds, once it is listed. `base`: the public origin. `before`: the post
 * before a change, under whose URL feeds may have it.
 */
export function fed({ path: _path, ...post }: Post, base: string, before?: Post): StoredPost {
  const known = post.feedId ?? before?.feedId;
  const first = [before, { path: _path, ...post }].find((one) => one !== undefined && isListedEver(one));
  const feedId = known ?? (first && postUrl(base, first));
  return feedId === undefined ? post : { ...post, feedId };
}

const isListedEver = ({ status, visibility, deletedAt }: StoredPost): boolean =>
  status === 'published' && visibility === 'public' && deletedAt === null;

/** Returns a stored post with its path. */
export const postAt = (place: PostPlace, post: StoredPost): Post => ({ path: postPath(place), ...post });

/** Returns a new post. `now` is in ms. `createdBy`: the app that creates the post, if any. */
export function newPost(content: PostContent, now: number, createdBy?: string): StoredPost {
  const moment = new Date(now).toISOString();
  return {
    ...dated(content, moment),
    createdAt: moment,
    updatedAt: moment,
    deletedAt: null,
    ...(content.markdown !== undefined && { markdown: content.markdown }),
    ...(createdBy !== undefined && { createdBy }),
  };
}

/** Returns a post with new content. `now` is in ms. */
export function changedPost(post: StoredPost, content: PostContent, now: number): StoredPost {
  const moment = new Date(now).toISOString();
  const next: StoredPost = { ...post, ...dated(content, moment), updatedAt: moment };
  delete next.markdown;
  if (content.markdown !== undefined) next.markdown = content.markdown;
  if (isPublicAt(post, now) && !isDeepStrictEqual(shownOf(post), shownOf(next))) next.editedAt = moment;
  return next;
}

/** Returns a post with the content of an earlier version. `now` is in ms. */
export function restoredPost(post: StoredPost, { content }: EarlierPost, now: number): StoredPost {
  const { createdAt, deletedAt, ownDate, createdBy, home, feedId } = post;
  const whole = {
    createdAt,
    deletedAt,
    ...(ownDate !== undefined && { ownDate }),
    ...(createdBy !== undefined && { createdBy }),
    ...(home && { home }),
    ...(feedId !== undefined && { feedId }),
  };
  return { ...whole, ...structuredClone(content), updatedAt: new Date(now).toISOString() };
}

/** Returns the id of an earlier version. Two versions with the same content and time share an id. */
export const versionId = (version: EarlierPost) =>
  createHash('sha256').update(JSON.stringify(version)).digest('base64url').slice(0, 22);

/** The limits for a post's earlier versions: their number, and the total length of their JSON in characters. */
const mostVersions = { count: 20, characters: 1_000_000 };
/**
 * The minimum time, in ms, between two stored versions of a draft while the same author edits it. Without a minimum,
 * there would be too many versions, because drafts are saved often while the owner types.
 */
const draftVersionMs = 600_000;

/**
 * Returns the earlier versions of a post after a change from `before` to `after`. Adds `before` if the content has
 * changed, unless the post is a draft with a recent version (see draftVersionMs). `now` is in ms. `by`: see
 * EarlierPost.
 */
export function historyAfter(
  history: readonly EarlierPost[],
  before: StoredPost,
  after: StoredPost,
  { now, by }: { readonly now: number; readonly by: string | null },
): readonly EarlierPost[] {
  if (isDeepStrictEqual(contentOfPost(before), contentOfPost(after))) return history;
  const [newest] = history;
  const isDraft = before.status === 'draft' && after.status === 'draft';
  const isRecent = newest?.by === by && Math.abs(now - Date.parse(newest.replacedAt)) < draftVersionMs;
  return isDraft && isRecent ? history : withVersion(history, before, { now, by });
}

/** Returns the earlier versions of a post with the same edit made to the content of each. */
export function editedHistory(
  history: readonly EarlierPost[],
  edit: (content: PostContent) => PostContent,
): EarlierPost[] {
  return history.map((version) => ({
    ...version,
    content: { ...version.content, ...edit(structuredClone(version.content)) },
  }));
}

/** Returns the earlier versions of a post, with `before` added as the newest. `now` is in ms. `by`: see EarlierPost. */
export function withVersion(
  history: readonly EarlierPost[],
  before: StoredPost,
  { now, by }: { readonly now: number; readonly by: string | null },
): EarlierPost[] {
  const { editedAt } = before;
  const content = { ...contentOfPost(before), ...(editedAt !== undefined && { editedAt }) };
  const kept: EarlierPost[] = [];
  let characters = 0;
  for (const one of [{ replacedAt: new Date(now).toISOString(), by, content }, ...history]) {
    characters += JSON.stringify(one).length;
    if (kept.length >= mostVersions.count || characters > mostVersions.characters) break;
    kept.push(one);
  }
  return kept;
}

/** Returns a copy of the parts of a post that its author may change. */
export function contentOfPost(post: StoredPost): PostContent {
  const { type, properties, commands, status, visibility, markdown } = post;
  const content = { type, properties, commands, status, visibility };
  return copiedJson(markdown === undefined ? content : { ...content, markdown });
}

/** Returns whether strangers could read a post at a time (ms). */
function isPublicAt({ status, visibility, properties, createdAt }: StoredPost, at: number): boolean {
  const isOpen = status === 'published' && visibility !== 'private';
  return isOpen && publishedOf(properties, Date.parse(createdAt)).at <= at;
}

/** Properties that readers don't see. A change to these properties doesn't count as an edit. */
const unseen = new Set(['post-status', 'visibility', 'syndication', 'updated']);

function shownOf({ type, properties }: Pick<StoredPost, 'type' | 'properties'>): unknown {
  return [type, Object.fromEntries(Object.entries(properties).filter(([name]) => !unseen.has(name)))];
}

/** Returns a post's content. A published post without a date gets the date `moment`, which nobody gave. */
function dated(content: PostContent, moment: string): Omit<PostContent, 'markdown'> {
  const { type, properties, commands, status, visibility, ownDate } = content;
  if (status === 'published' && !hasDate(properties)) {
    const published: Properties = { ...properties, published: [moment] };
    return { type, properties: published, commands, status, visibility, ownDate: moment };
  }
  return { type, properties, commands, status, visibility, ...(ownDate !== undefined && { ownDate }) };
}

/**
 * Returns a short hash of a file copy's content. A file whose content has another one was edited by somebody. Formatting
 * doesn't matter.
 */
export function sealOf({ post, movedTo, movedFrom, history, edits, id, counter }: PostDocument): string {
  const text = JSON.stringify([post, movedTo, movedFrom, history, edits, id, counter]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
