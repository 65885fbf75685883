import { insufficientScope } from '../http/errors.ts';

type ActionKind = 'create' | 'update' | 'delete' | 'undelete';

/** For each action the scopes any one of which will do; the first is the one that an error names (Micropub 5.4). */
const sufficient: Record<ActionKind, readonly [string, ...string[]]> = {
  create: ['create', 'post', 'draft'], // `post`: what `create` was called in older clients
  update: ['update'],
  delete: ['delete'],
  undelete: ['undelete', 'delete'],
};

const aboutPosts = new Set(Object.values(sufficient).flat());

/** @throws insufficient_scope where none of the token's scopes allows the action (MP-3, D-1). */
export function checkScope(scopes: readonly string[], action: ActionKind): void {
  if (!sufficient[action].some((scope) => scopes.includes(scope)))
    throw insufficientScope(sufficient[action][0]);
}

/** True where the token may save drafts but not publish. */
export function onlyDrafts(scopes: readonly string[]): boolean {
  return scopes.includes('draft') && !scopes.includes('create') && !scopes.includes('post');
}

/** Queries are for every token (MP-67) that has a scope at all (MP-3). @throws insufficient_scope */
export function checkMayQuery(scopes: readonly string[]): void {
  if (scopes.length === 0) throw insufficientScope('create');
}

/** True where the token has to do with posts: others (an app that only knows who signed in) see what all see. */
export function seesAllPosts(scopes: readonly string[]): boolean {
  return scopes.some((scope) => aboutPosts.has(scope));
}
