import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import type { PostText, UnsavedEdits } from '../../../src-main/contract/writing.ts';
import type { Client } from '../../client/client.ts';
import type { Unsaved } from './unsaved.ts';

/** A post on the server, as this window knows it. */
export interface KnownPost {
  readonly url: string;
  readonly status: PostItem['status'];
  readonly version: string;
  /** The content of the post. */
  readonly text: PostText;
  /** The `savedAt` of the unsaved edits that the server keeps and that this window has seen; null if there are none. */
  readonly keptAt: string | null;
}

/** A post on the server, with the owner's unsaved edits. Drafts have none. */
export interface OpenedPost {
  readonly post: KnownPost;
  readonly edits: UnsavedEdits | null;
}

/**
 * Opens a post for writing.
 * @throws PorchlightError `gone` if the post is deleted, `not_found` if it doesn't exist, `not_editable`
 */
export async function openPost(call: Client['call'], url: string): Promise<OpenedPost> {
  const { item } = await call('posts.get', { url });
  if (item.deletedAt !== null) throw new PorchlightError('gone', 'This post is deleted.', 410);
  const { version, ...text } = await call('posts.source', { url });
  const { edits } = item.status === 'draft' ? { edits: null } : await call('posts.edits', { url });
  const { status } = item;
  return { post: { url: item.url, status, version, text, keptAt: edits?.savedAt ?? null }, edits };
}

/** Returns whether an error of `openPost` means that there is no such post, or that it is deleted. */
export const isGone = (error: unknown): boolean =>
  error instanceof PorchlightError && ['gone', 'not_found'].includes(error.code);

/** Returns the post that a session starts from: what its text was written for. */
export function startOf({ post, edits }: OpenedPost, unsaved: Unsaved | null): KnownPost {
  const version = unsaved?.version ?? edits?.version ?? post.version;
  return { ...post, version, keptAt: unsaved === null ? post.keptAt : unsaved.keptAt };
}

/** Returns whether saving changes the post itself: nobody reads a draft. */
export const isDraft = (post: KnownPost | null) => post === null || post.status === 'draft';
