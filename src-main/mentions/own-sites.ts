import { hostOf } from '../platform/site-name.ts';

/** The rules that decide which sites are the owner's. */
export interface OwnSiteRules {
  /** The public origin of this server. */
  readonly base: string;
  /** The owner's profile URL; null until it is set up. */
  readonly me: string | null;
  /** Further hosts whose pages are the owner's. */
  readonly hosts: readonly string[];
}

/** The owner's own sites. */
export interface OwnSites {
  /** The hosts of these sites. If the profile has a path, only part of the profile's host belongs to the owner. */
  readonly hosts: ReadonlySet<string>;
  /** Returns whether the page at a URL is the owner's. */
  has(address: string): boolean;
}

/**
 * Returns the sites whose mentions are the owner's own: this server, the hosts that the owner added, and the profile's
 * site. A profile with a path (`https://tilde.example/~ada/`) shares its host with strangers, so only pages under that
 * path count.
 */
export function ownSites({ base, me, hosts }: OwnSiteRules): OwnSites {
  const whole = new Set([...hostsAt([base]), ...hostsAt(hosts.map(addressOfHost))]);
  const profile = parsed(me ?? '');
  const folder = profile?.pathname.replace(/\/$/, '') ?? '';
  if (profile && folder === '') whole.add(hostOf(profile));
  return {
    hosts: new Set([...whole, ...(profile ? [hostOf(profile)] : [])]),
    has(address) {
      const url = parsed(address);
      if (!url) return false;
      if (whole.has(hostOf(url))) return true;
      const isAtProfile = profile !== undefined && hostOf(url) === hostOf(profile);
      return isAtProfile && (url.pathname === folder || url.pathname.startsWith(`${folder}/`));
    },
  };
}

/**
 * Returns the hosts whose pages may be mentioned. The profile's whole host is included, because the owner may have more
 * pages on it.
 */
export function targetHosts({ base, me, hosts }: OwnSiteRules): ReadonlySet<string> {
  return new Set(hostsAt([base, me ?? '', ...hosts.map(addressOfHost)]));
}

const addressOfHost = (host: string) => `https://${host.replace(/:(80|443)$/, '')}/`;

function hostsAt(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const url = parsed(address);
    return url ? [hostOf(url)] : [];
  });
}

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}
