import { hostIsLoopback } from './address.ts';

/** Labels under which a country's registry sells names: `example.co.uk` is a site, but `co.uk` is not. */
const registries = new Set('ac co com edu go gob gouv gov gv ltd me ne net nom or org plc sch'.split(' '));

/**
 * Returns the site that a host belongs to. Hosts of one site share their limits. The owner of a domain can create any
 * number of names under it, so they all count as one site: the last two labels of the name, or three under a registry such as
 * `co.uk`. The public suffix list would also separate the users of a hosting service; here they share the limits of one
 * site. An IPv6 network (/48) is one site too. On this computer, each port is a separate site.
 *
 * `host`: as in URL.host, in lower case, with or without a port.
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

/** Returns the host of a URL, with a nonstandard port if it has one: `Example.COM.` becomes `example.com`. */
export function hostOf(url: URL): string {
  return url.port === '' ? hostnameOf(url) : `${hostnameOf(url)}:${url.port}`;
}

/** Returns the host of a URL without a port. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}
