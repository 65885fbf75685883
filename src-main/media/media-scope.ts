import type { Bearer } from '../http/authorize.ts';
import { insufficientScope } from '../http/errors.ts';
import type { MediaFile } from './media-store.ts';

/** A token that may post may upload what it posts; `post` is what `create` was called in older clients (MP-71). */
const forUploads = ['media', 'create', 'post'] as const;

/**
 * Who may not upload learns nothing of the files either, so queries need the same scopes.
 * @throws insufficient_scope where none of a token's scopes allows an upload (MP-71, D-1)
 */
export function checkMayUpload(scopes: readonly string[]): void {
  if (!has(scopes, forUploads)) throw insufficientScope('media');
}

/** To delete takes two scopes (MX-26), and a file that the token may see. @throws insufficient_scope */
export function checkMayDelete(scopes: readonly string[]): void {
  if (!has(scopes, ['delete'])) throw insufficientScope('delete');
  checkMayUpload(scopes);
}

/** The app whose files alone a token may see; undefined for a token that may see all files: one with `media`. */
export function onlyFilesOf({ scopes, app }: Pick<Bearer, 'scopes' | 'app'>): string | undefined {
  return scopes.includes('media') ? undefined : app;
}

/** True for a file of the app that onlyFilesOf names. For any other there is no such file. */
export function maySee(file: MediaFile, only: string | undefined): boolean {
  return only === undefined || file.uploadedBy === only;
}

const has = (scopes: readonly string[], any: readonly string[]) =>
  any.some((scope) => scopes.includes(scope));
