/** The domain under which Cloudflare gives out quick tunnels, each with a new name at every start. */
const quickDomain = '.trycloudflare.com';

/**
 * Returns the new profile URL of an owner whose home page is the public address, where that has changed from `before`
 * to `base`; null where `me` stays. An address of a quick tunnel is never a website of the owner's, so it always moves.
 */
export function movedHome(me: string | null, before: string | null, base: string): string | null {
  if (me === null) return null;
  const [old, home] = [new URL(me), new URL(base)];
  const isHome = old.hostname.endsWith(quickDomain) || old.href === `${before ?? ''}/`;
  return isHome && home.protocol === 'https:' && home.origin !== old.origin ? home.href : null;
}
