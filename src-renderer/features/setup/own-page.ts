/** Returns whether the owner's home page is Porchlight's own page, at the public address `base`: nothing to paste. */
export function isOwnPage(me: string | null, base: string | undefined): boolean {
  if (me === null || base === undefined || !URL.canParse(me) || !URL.canParse(base)) return false;
  return new URL(me).href === `${new URL(base).origin}/`;
}

/** Returns whether an address belongs to a quick tunnel, which gets another one at each start. */
export function isQuick(base: string): boolean {
  return URL.canParse(base) && new URL(base).hostname.endsWith('.trycloudflare.com');
}
