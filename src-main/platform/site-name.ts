import { hostIsLoopback } from './address.ts';

/** Second-level labels under which country registries sell names: `example.co.uk` is a site, but `co.uk` is not. */
const registries = new Set('ac co com edu go gob gouv gov gv ltd me ne net nom or org plc sch'.split(' '));

/**
 * Returns the site that a host belongs to. All hosts of one site share their limits, because the owner of a domain can
 * create any number of names under it. A site is the last two labels of a name, or the last three under a registry such
 * as `co.uk`. Unlike in the public suffix list, all users of a hosting service count as one site. An IPv6 network (/48)
 * is one site too. On this computer, each port is a separate site.
 *
 * `host`: in the format of URL.host, in lower case, with or without a port.
 */
export function siteOfHost(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '');
  if (hostIsLoopback(name)) return host;
  if (name.startsWith('[')) return name.split(':').slice(0, 3).join(':');
  if (/^[\d.]+$/.test(name)) return name;
  const labels = name.split('.');
  const isCountry = labels.at(-1)?.length === 2;
  return labels.slice(isCountry && registries.has(labels.at(-2) ?? '') ? -3 : -2).join('.');
}

/** Returns the host of a URL in lower case, without a trailing dot, and with the port if it isn't the default port. */
export function hostOf(url: URL): string {
  return url.port === '' ? hostnameOf(url) : `${hostnameOf(url)}:${url.port}`;
}

/** Returns the host of a URL without a port. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}
