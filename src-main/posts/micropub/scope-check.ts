import type { Post } from '../../contract/posts.ts';
import { publishedAt } from '../visibility.ts';
import type { Bearer } from '../../http/bearer.ts';
import { insufficientScope } from '../../http/errors.ts';
import type { LimitedReader } from '../post-store.ts';

type ActionKind = 'create' | 'update' | 'delete' | 'undelete';

/** For each action, the scopes that allow it. A token needs one of them. Errors name the first scope (Micropub 5.4). */
const sufficient: Record<ActionKind, readonly [string, ...string[]]> = {
  create: ['create', 'post', 'draft'], // older clients use `post` instead of `create`
  update: ['update'],
  delete: ['delete'],
  undelete: ['undelete', 'delete'],
};

/**
 * Checks that at least one of a token's scopes allows an action.
 * @throws insufficient_scope if none does (MP-3, D-1).
 */
export function checkScope(scopes: readonly string[], action: ActionKind): void {
  if (!sufficient[action].some((scope) => scopes.includes(scope)))
    throw insufficientScope(sufficient[action][0]);
}

/**
 * Returns whether a token may publish posts. With only the scope `draft`, new posts become drafts. With only `update`,
 * drafts stay drafts.
 */
export function mayPublish(scopes: readonly string[]): boolean {
  return scopes.includes('create') || scopes.includes('post');
}

/**
 * Checks that a token may send queries (MP-67): it must have at least one scope (MP-3).
 * @throws insufficient_scope
 */
export function checkMayQuery(scopes: readonly string[]): void {
  if (scopes.length === 0) throw insufficientScope('create');
}

/**
 * Returns whether a token may write posts. If so, its app needs the owner's categories, channels and cross-posting
 * targets.
 */
export function writesPosts(scopes: readonly string[]): boolean {
  return [...sufficient.create, ...sufficient.update].some((scope) => scopes.includes(scope));
}

/**
 * Returns which posts a token may see. A token with the scope `update` may see all posts, because an app must see the
 * posts that it changes.
 */
export function postReader({ scopes, app }: Omit<Bearer, 'grantId'>, now: number): LimitedReader | 'all' {
  return scopes.includes('update') ? 'all' : { app, now };
}

type SeenPost = Pick<Post, 'status' | 'visibility' | 'properties' | 'createdAt' | 'createdBy'>;

/**
 * Returns whether a reader may know that a post exists. If not, the response must be the same as for a missing post.
 */
export function maySeePost(post: SeenPost, reader: LimitedReader | 'all'): boolean {
  return reader === 'all' || post.createdBy === reader.app || isOpen(post, reader.now);
}

/** Returns whether anyone with the URL can read a post. Ignores whether the post is deleted. */
function isOpen(post: SeenPost, now: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= now;
}
