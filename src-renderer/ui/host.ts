/** Returns the host of a site typed as `example.com` or as any of its addresses; undefined if it names no site. */
export function hostTyped(typed: string): string | undefined {
  const text = typed.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (text === '' || /\s/.test(text) || !URL.canParse(address)) return undefined;
  const { host } = new URL(address);
  // The service accepts the same characters in a host.
  return /^[A-Za-z0-9.:[\]-]{1,253}$/.test(host) ? host : undefined;
}
