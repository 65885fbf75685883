import { Type, type Static } from 'typebox';
import { Post, type Properties } from '../contract/posts.ts';
import { hasDate } from '../post/published.ts';
import { closed } from '../contract/shapes.ts';
import { unchanged } from '../storage/document-format.ts';
import { openDocument, type Document } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import type { PostContent } from './post-store.ts';
import { postPath, type PostPlace } from './post-path.ts';

const { type, properties, commands, status, visibility, createdAt, updatedAt, deletedAt, createdBy } =
  Post.properties;

/** A post as stored in its document. The post's path is not stored, because the document's location determines it. */
export const StoredPost = closed({
  type,
  properties,
  commands,
  status,
  visibility,
  createdAt,
  updatedAt,
  deletedAt,
  createdBy,
});
export type StoredPost = Static<typeof StoredPost>;

const maybePath = Type.Union([Type.String(), Type.Null()]);

/** The content of `posts/YYYY/MM/<slug>.json`: a post, or a redirect to the place that the post has moved to. */
export const PostDocument = closed({
  post: Type.Union([StoredPost, Type.Null()]),
  movedTo: maybePath,
  /** The path that the post moved from. With it, an interrupted move can be completed. */
  movedFrom: maybePath,
});
export type PostDocument = Static<typeof PostDocument>;

/**
 * Format 2 can name the app that created the post. A Porchlight version that knows only format 1 refuses such a
 * document instead of "repairing" it.
 */
export const postFormat = {
  schema: PostDocument,
  format: 2,
  initial: { post: null, movedTo: null, movedFrom: null },
  migrations: { 1: unchanged },
};

/** Opens the document of a post, whether or not the file exists; see openDocument. */
export function openPostDocument(
  options: Pick<DurableFileOptions<unknown>, 'file' | 'onRecovered' | 'now' | 'operations' | 'isNew'>,
): Promise<Document<PostDocument>> {
  return openDocument({
    ...options,
    ...postFormat,
  });
}

/** Returns a stored post as a Post, with the path of its place. */
export const postAt = (place: PostPlace, post: StoredPost): Post => ({ path: postPath(place), ...post });

/** Returns a new post. `now` in ms; `createdBy`: the app that creates it, if any. */
export function newPost(content: PostContent, now: number, createdBy?: string): StoredPost {
  const moment = new Date(now).toISOString();
  const post = { ...dated(content, moment), createdAt: moment, updatedAt: moment, deletedAt: null };
  return createdBy === undefined ? post : { ...post, createdBy };
}

/** Returns a post with its content replaced. `now` in ms. */
export function changedPost(post: StoredPost, content: PostContent, now: number): StoredPost {
  const moment = new Date(now).toISOString();
  return { ...post, ...dated(content, moment), updatedAt: moment };
}

/** Returns a copy of the parts of a stored post that its author may change. */
export function contentOfPost({ type, properties, commands, status, visibility }: StoredPost): PostContent {
  return structuredClone({ type, properties, commands, status, visibility });
}

/**
 * Returns a post's content, with a publication date if the post is published and its author gave none. Drafts get no
 * date.
 */
function dated(content: PostContent, moment: string): PostContent {
  const { type, properties, commands, status, visibility } = content;
  const undated = status === 'published' && !hasDate(properties);
  const complete: Properties = undated ? { ...properties, published: [moment] } : properties;
  return { type, properties: complete, commands, status, visibility };
}
