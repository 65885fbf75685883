/**
 * A host's name as it is compared: in lower case, international names in ASCII, without port and trailing dot.
 * Undefined for what can be no host's name.
 */
export function domainName(text: string): string | undefined {
  const bare = text.trim().replace(/^\.+/, '');
  if (bare === '' || bare.length > 300 || /[\s/\\?#@%]/.test(bare)) return undefined;
  const address = `http://${bare}`;
  if (!URL.canParse(address)) return undefined;
  const name = new URL(address).hostname.replace(/\.+$/, '');
  return name === '' ? undefined : name;
}

/** Whether `host` is one of the domains or under one. All are names as domainName gives them. */
export function isCovered(host: string, domains: ReadonlySet<string>): boolean {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true;
    if (!name.includes('.')) return false;
  }
}
