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

/**
 * Returns whether `host` equals one of the domains or is a subdomain of one of them. All names must come from
 * domainName.
 */
export function isCovered(host: string, domains: ReadonlySet<string>): boolean {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true;
    if (!name.includes('.')) return false;
  }
}
