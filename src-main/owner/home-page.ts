/** The domain under which Cloudflare gives out quick tunnels, each with a new name at every start. */
const quickDomain = '.trycloudflare.com';

/**
 * Returns the owner's new profile URL where the old one was the address of a quick tunnel that is gone; null where
 * `me` stays. It is never a website of the owner's, so it follows the public address `base`, to a lasting one too.
 */
export function movedHome(me: string | null, base: string): string | null {
  if (me === null || !new URL(me).hostname.endsWith(quickDomain)) return null;
  const home = new URL(base);
  return home.protocol === 'https:' && home.origin !== new URL(me).origin ? home.href : null;
}
