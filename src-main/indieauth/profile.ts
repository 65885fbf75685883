import type { Profile } from '../contract/settings.ts';

/** The part of the owner's profile that an app may learn (IndieAuth 5.3.4). */
export interface PublicProfile {
  readonly name: string;
  readonly url: string;
  readonly photo: string;
  readonly email?: string;
}

/**
 * Returns the part of the profile that the scopes allow. Includes `email` only with the scope email, and only if the
 * owner has set an email address.
 */
export function profileFor(
  { me, name, url, photo, email }: Profile,
  scopes: readonly string[],
): PublicProfile {
  const shown = { name, url: url === '' ? (me ?? '') : url, photo };
  return scopes.includes('email') && email !== '' ? { ...shown, email } : shown;
}
