/** The domain of Cloudflare's quick tunnels, which get a new name at every start. */
const quickDomain = '.trycloudflare.com';

/**
 * Returns the owner's new profile URL after the public address has changed from `before` to `base`. Returns null if the
 * current profile URL, `me`, stays the same, for example because it isn't at the public address. A `me` at a quick
 * tunnel always counts as the public address, because nobody's own website is at such an address.
 */
export function movedHome(me: string | null, before: string | null, base: string): string | null {
  if (me === null) return null;
  const [old, home] = [new URL(me), new URL(base)];
  const isHome = old.hostname.endsWith(quickDomain) || old.href === `${before ?? ''}/`;
  return isHome && home.protocol === 'https:' && home.origin !== old.origin ? home.href : null;
}
