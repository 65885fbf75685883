import type { Permission } from '../../src-main/contract/sign-ins.ts';

/** What a token made by hand can be given. */
export const knownPermissions: readonly Permission[] = [
  { scope: 'create', words: 'Publish new posts' },
  { scope: 'update', words: 'Change posts' },
  { scope: 'delete', words: 'Delete posts' },
  { scope: 'undelete', words: 'Bring deleted posts back' },
  { scope: 'media', words: 'Upload pictures and other files' },
  { scope: 'draft', words: 'Save posts as drafts' },
  { scope: 'profile', words: 'See your name, photo and web address' },
  { scope: 'email', words: 'See your e-mail address' },
];

/** Every scope with its words, one without words too (Micropub 5.4: every requested scope is shown). */
export function permissionsFor(scopes: readonly string[], explained: readonly Permission[]): Permission[] {
  return [...new Set(scopes)].map((scope) => {
    const words = explained.find((permission) => permission.scope === scope)?.words;
    return { scope, words: words ?? 'Something that only this app knows. Leave it out if you are not sure.' };
  });
}

/** The scopes that can be granted of `scopes`: `email` goes only with `profile` (IndieAuth 5.2). */
export function grantable(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== 'email' || scopes.includes('profile'));
}
