/** The domain of Cloudflare's quick tunnels, which get a new name at every start. */
const quickDomain = '.trycloudflare.com';

/**
 * Returns the new profile URL if the owner's home page is the public address, and that address has changed from
 * `before` to `base`. Returns null if `me` stays the same. If `me` is the address of a quick tunnel, always returns the
 * new address, because nobody has their own website at such an address.
 */
export function movedHome(me: string | null, before: string | null, base: string): string | null {
  if (me === null) return null;
  const [old, home] = [new URL(me), new URL(base)];
  const isHome = old.hostname.endsWith(quickDomain) || old.href === `${before ?? ''}/`;
  return isHome && home.protocol === 'https:' && home.origin !== old.origin ? home.href : null;
}
