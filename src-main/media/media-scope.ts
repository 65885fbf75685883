import { insufficientScope } from '../http/errors.ts';

/** A token that may post may upload what it posts; `post` is what `create` was called in older clients (MP-71). */
const forUploads = ['media', 'create', 'post'] as const;

/** Scopes that have to do with posts: who has one may see what was uploaded for them. */
const aboutPosts = [...forUploads, 'draft', 'update', 'delete', 'undelete', 'read'];

/** @throws insufficient_scope where none of a token's scopes allows an upload (MP-71, D-1) */
export function checkMayUpload(scopes: readonly string[]): void {
  if (!has(scopes, forUploads)) throw insufficientScope('media');
}

/** To delete takes two scopes (MX-26). @throws insufficient_scope */
export function checkMayDelete(scopes: readonly string[]): void {
  if (!has(scopes, ['delete'])) throw insufficientScope('delete');
  checkMayUpload(scopes);
}

/** An app that only knows who signed in learns nothing of the files. @throws insufficient_scope */
export function checkMayQuery(scopes: readonly string[]): void {
  if (!has(scopes, aboutPosts)) throw insufficientScope('media');
}

const has = (scopes: readonly string[], any: readonly string[]) =>
  any.some((scope) => scopes.includes(scope));
