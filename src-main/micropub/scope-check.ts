import type { Post } from '../contract/posts.ts';
import { publishedAt } from '../contract/published.ts';
import type { Bearer } from '../http/authorize.ts';
import { insufficientScope } from '../http/errors.ts';
import type { LimitedReader } from './post-store.ts';

type ActionKind = 'create' | 'update' | 'delete' | 'undelete';

/** For each action the scopes any one of which will do; the first is the one that an error names (Micropub 5.4). */
const sufficient: Record<ActionKind, readonly [string, ...string[]]> = {
  create: ['create', 'post', 'draft'], // `post`: what `create` was called in older clients
  update: ['update'],
  delete: ['delete'],
  undelete: ['undelete', 'delete'],
};

/** @throws insufficient_scope where none of the token's scopes allows the action (MP-3, D-1). */
export function checkScope(scopes: readonly string[], action: ActionKind): void {
  if (!sufficient[action].some((scope) => scopes.includes(scope)))
    throw insufficientScope(sufficient[action][0]);
}

/** True where the token may publish: with `draft` alone a new post is a draft, with `update` alone a draft stays one. */
export function mayPublish(scopes: readonly string[]): boolean {
  return scopes.includes('create') || scopes.includes('post');
}

/** Queries are for every token (MP-67) that has a scope at all (MP-3). @throws insufficient_scope */
export function checkMayQuery(scopes: readonly string[]): void {
  if (scopes.length === 0) throw insufficientScope('create');
}

/** True where the token may write posts, so that it needs the owner's categories, channels and cross-posting targets. */
export function writesPosts(scopes: readonly string[]): boolean {
  return [...sufficient.create, ...sufficient.update].some((scope) => scopes.includes(scope));
}

/** Which posts a token may see: all of them only with `update`, which has to show what it changes. */
export function readerOf({ scopes, app }: Omit<Bearer, 'grantId'>, now: number): LimitedReader | 'all' {
  return scopes.includes('update') ? 'all' : { app, now };
}

/** True where the reader may know of the post. For anyone else there is no such post. */
export function maySee(post: Post, reader: LimitedReader | 'all'): boolean {
  return reader === 'all' || post.createdBy === reader.app || isOpen(post, reader.now);
}

/** True for a post that everybody who has its address can read, or could before it was deleted. */
function isOpen(post: Post, now: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= now;
}
