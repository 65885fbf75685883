import type { Profile } from '../contract/settings.ts';

/** What an app learns of the owner (IndieAuth 5.3.4). */
export interface PublicProfile {
  readonly name: string;
  readonly url: string;
  readonly photo: string;
  readonly email?: string;
}

/** The part of the profile that the scopes allow; `email` only with its own scope, and only where there is one. */
export function profileFor(
  { me, name, url, photo, email }: Profile,
  scopes: readonly string[],
): PublicProfile {
  const shown = { name, url: url === '' ? (me ?? '') : url, photo };
  return scopes.includes('email') && email !== '' ? { ...shown, email } : shown;
}
