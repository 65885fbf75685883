import type { Permission } from '../contract/sign-ins.ts';

const mostScopes = 100;
const longestScope = 100;
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Splits a scope parameter into its names, without repeats (RFC 6749, 3.3).
 * Separated by spaces; a literal `+`, which old clients encode twice, separates too (D-14).
 * Null where a character is not allowed, or where there is more than an owner could look through.
 */
export function parseScope(text: string | undefined): string[] | null {
  const names = (text ?? '').split(/[ +]/).filter((name) => name !== '');
  const fits = names.length <= mostScopes && names.every((name) => name.length <= longestScope);
  return fits && names.every((name) => scopeToken.test(name)) ? [...new Set(names)] : null;
}

/** The scopes that this server knows, and what each lets an app do. */
const words: Record<string, string> = {
  profile: 'See your name, web address and photo',
  email: 'See your email address',
  create: 'Publish new posts on your site',
  post: 'Publish new posts on your site',
  draft: 'Save drafts, without publishing them',
  update: 'Change posts on your site',
  delete: 'Delete posts from your site',
  undelete: 'Bring deleted posts back',
  media: 'Upload photos and files',
  read: 'Read the feeds that you follow',
  follow: 'Change which feeds you follow',
  mute: 'Mute people for you',
  block: 'Block people for you',
  channels: 'Change your reading channels',
};

/** The scope names that the metadata announces (RFC 8414: scopes_supported). */
export const knownScopes = ['profile', 'email', 'create', 'draft', 'update', 'delete', 'undelete', 'media'];

/** What scopes let an app do, in plain words. A scope that is not known here is shown as what it is. */
export function permissionsOf(scopes: readonly string[]): Permission[] {
  return scopes.map((scope) => ({
    scope,
    words: Object.hasOwn(words, scope) ? (words[scope] ?? scope) : 'Something that only this app knows',
  }));
}

/** IndieAuth 5.2: the email scope means nothing without the profile scope. */
export function isEmailWithoutProfile(scopes: readonly string[]): boolean {
  return scopes.includes('email') && !scopes.includes('profile');
}
