import { Type, type Static } from 'typebox';
import { Post, type Properties } from '../contract/posts.ts';
import { hasDate } from '../contract/published.ts';
import { closed } from '../contract/shapes.ts';
import { unchanged } from '../storage/document-format.ts';
import { openDocument, type Document } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import type { PostContent } from './post-store.ts';
import { pathOf, type Place } from './post-path.ts';

const { type, properties, commands, status, visibility, createdAt, updatedAt, deletedAt, createdBy } =
  Post.properties;

/** A post as its document holds it: where it is filed is its path. */
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

/** `posts/YYYY/MM/<slug>.json`: a post, or the way to where it moved. */
export const PostDocument = closed({
  post: Type.Union([StoredPost, Type.Null()]),
  movedTo: maybePath,
  /** Where the post was before; a move that was cut short is finished by it. */
  movedFrom: maybePath,
});
export type PostDocument = Static<typeof PostDocument>;

/** Format 2 can name the app that created the post. An older version refuses such a document instead of repairing it. */
export const postFormat = {
  schema: PostDocument,
  format: 2,
  initial: { post: null, movedTo: null, movedFrom: null },
  migrations: { 1: unchanged },
};

/** Opens the document of a post, there or not; see openDocument. */
export function openPostDocument(
  options: Pick<DurableFileOptions<unknown>, 'file' | 'onRecovered' | 'now' | 'operations'>,
): Promise<Document<PostDocument>> {
  return openDocument({
    ...options,
    ...postFormat,
  });
}

/** The post at a place, as the rest of the house sees it. */
export const postAt = (place: Place, post: StoredPost): Post => ({ path: pathOf(place), ...post });

/** A new post. `now` in ms; `createdBy`: the app, where one creates it. */
export function newPost(content: PostContent, now: number, createdBy?: string): StoredPost {
  const moment = new Date(now).toISOString();
  const post = { ...dated(content, moment), createdAt: moment, updatedAt: moment, deletedAt: null };
  return createdBy === undefined ? post : { ...post, createdBy };
}

/** The post with other content. `now` in ms. */
export function changedPost(post: StoredPost, content: PostContent, now: number): StoredPost {
  const moment = new Date(now).toISOString();
  return { ...post, ...dated(content, moment), updatedAt: moment };
}

/** What of a stored post its author may change, as a copy. */
export function contentOf({ type, properties, commands, status, visibility }: StoredPost): PostContent {
  return structuredClone({ type, properties, commands, status, visibility });
}

/** A draft gets its date when it is published, unless its author gave one. */
function dated(content: PostContent, moment: string): PostContent {
  const { type, properties, commands, status, visibility } = content;
  const undated = status === 'published' && !hasDate(properties);
  const complete: Properties = undated ? { ...properties, published: [moment] } : properties;
  return { type, properties: complete, commands, status, visibility };
}
