/** The site that somebody typed, as `example.com` or as any address of it; undefined where it is none. */
export function hostTyped(typed: string): string | undefined {
  const text = typed.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (text === '' || /\s/.test(text) || !URL.canParse(address)) return undefined;
  const { host } = new URL(address);
  // What the service takes as a host.
  return /^[A-Za-z0-9.:[\]-]{1,253}$/.test(host) ? host : undefined;
}
