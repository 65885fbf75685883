import type { Bearer } from '../http/authorize.ts';
import { insufficientScope } from '../http/errors.ts';
import type { MediaFile } from './media-store.ts';

/**
 * The scopes that allow uploads. An app that may publish posts may also upload files. Older clients use `post` instead
 * of `create` (MP-71).
 */
const forUploads = ['media', 'create', 'post'] as const;

/**
 * Checks that a token allows uploads. Queries need the same scopes, so that other apps get no information about the
 * files.
 * @throws insufficient_scope if none of the token's scopes allows an upload (MP-71, D-1)
 */
export function checkMayUpload(scopes: readonly string[]): void {
  if (!has(scopes, forUploads)) throw insufficientScope('media');
}

/**
 * Checks that a token has the scope `delete` and a scope for uploads. Deleting a file requires both (MX-26). removeFile
 * also checks whether the token may see the file.
 * @throws insufficient_scope
 */
export function checkMayDelete(scopes: readonly string[]): void {
  if (!has(scopes, ['delete'])) throw insufficientScope('delete');
  checkMayUpload(scopes);
}

/** Returns the app whose files a token may see; undefined if the scope `media` gives access to all files. */
export function onlyFilesOf({ scopes, app }: Pick<Bearer, 'scopes' | 'app'>): string | undefined {
  return scopes.includes('media') ? undefined : app;
}

/**
 * Returns whether a token may see a file. If not, the response must be the same as for a missing file. `only`: see
 * onlyFilesOf.
 */
export function maySeeFile(file: MediaFile, only: string | undefined): boolean {
  return only === undefined || file.uploadedBy === only;
}

const has = (scopes: readonly string[], any: readonly string[]) =>
  any.some((scope) => scopes.includes(scope));
