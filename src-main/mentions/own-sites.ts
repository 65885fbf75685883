import { hostOf } from '../platform/site-name.ts';

/** The rules that decide which sites are the owner's. */
export interface OwnSiteRules {
  /** The public origin of this server. */
  readonly base: string;
  /** The owner's profile URL; null until it is set up. */
  readonly me: string | null;
  /** The address of the site that is built from the owner's folder; empty if there is none. */
  readonly folderSite: string;
  /** Other hosts that belong to the owner. */
  readonly hosts: readonly string[];
}

/** The owner's own sites. */
export interface OwnSites {
  /** The hosts of these sites. If a site's address has a path, only that part of its host belongs to the owner. */
  readonly hosts: ReadonlySet<string>;
  /** Returns whether the page at a URL is the owner's. */
  has(address: string): boolean;
}

/**
 * Returns the owner's own sites: this server, the hosts that the owner added, the profile's site, and the site that is
 * built from the owner's folder. A site with a path (`https://tilde.example/~ada/`) shares its host with strangers, so
 * only pages under that path count.
 */
export function ownSites({ base, me, folderSite, hosts }: OwnSiteRules): OwnSites {
  const whole = new Set(hostsAt([base, ...hosts.map(addressOfHost)]));
  const places = [me ?? '', folderSite].flatMap((address) => {
    const url = parsed(address);
    return url ? [{ host: hostOf(url), path: url.pathname.replace(/\/$/, '') }] : [];
  });
  return {
    hosts: new Set([...whole, ...places.map(({ host }) => host)]),
    has(address) {
      const url = parsed(address);
      if (!url) return false;
      const host = hostOf(url);
      if (whole.has(host)) return true;
      return places.some(
        (place) =>
          place.host === host && (url.pathname === place.path || url.pathname.startsWith(`${place.path}/`)),
      );
    },
  };
}

/**
 * Returns the hosts for whose pages this server accepts mentions. On the hosts of the profile and of the folder's site,
 * it accepts mentions of all pages, because the owner may have other pages there.
 */
export function targetHosts({ base, me, folderSite, hosts }: OwnSiteRules): ReadonlySet<string> {
  return new Set(hostsAt([base, me ?? '', folderSite, ...hosts.map(addressOfHost)]));
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
