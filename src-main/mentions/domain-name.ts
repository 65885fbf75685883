/**
 * Returns a host's name in the form used for comparison: lowercase, internationalized names in ASCII, without a port or
 * a trailing dot. Returns undefined if the string can't be a host name.
 */
export function domainName(text: string): string | undefined {
  const bare = text.trim().replace(/^\.+/, '');
  if (bare === '' || bare.length > 300 || /[\s/\\?#@%]/.test(bare)) return undefined;
  const address = `http://${bare}`;
  if (!URL.canParse(address)) return undefined;
  const name = new URL(address).hostname.replace(/\.+$/, '');
  return name === '' ? undefined : name;
}

/** Returns the domains that cover a host: the host itself, and all domains above it. `host`: from domainName. */
export function coveringDomains(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/**
 * Returns whether `host` equals one of the domains or is a subdomain of one of them. All names must come from
 * domainName.
 */
export const isCovered = (host: string, domains: ReadonlySet<string>): boolean =>
  coveringDomains(host).some((name) => domains.has(name));
