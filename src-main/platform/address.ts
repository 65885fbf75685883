import ipaddr from 'ipaddr.js';

/**
 * Public addresses that lead somewhere else on computers of a cloud provider. Azure answers its virtual machines at this
 * one, with DNS and with the secrets of their setup. The other providers use addresses that are reserved anyway.
 */
const platformAddresses = ['168.63.129.16'];

/**
 * Returns whether an IP address is global unicast: reachable on the public internet and not reserved for another use
 * (RFC 6890, the IANA special-purpose registries, and `platformAddresses`). Takes the canonical spelling, as in `URL` and DNS responses.
 * Returns false for text that isn't an address, for other spellings (octal, hex, short) and for addresses with a zone
 * id.
 */
export function addressIsPublic(address: string): boolean {
  const parsed = parseCanonical(address);
  if (parsed === null) return false;
  if (parsed instanceof ipaddr.IPv4) return isPublic4(parsed);
  if (isNat64(parsed)) return isPublic4(embeddedIPv4(parsed));
  return isGlobalUnicast6(parsed) && parsed.range() === 'unicast';
}

function isPublic4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !platformAddresses.includes(address.toString());
}

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Returns the destination of a connection to `address`: the IPv4 address inside a NAT64 or IPv4-mapped address,
 * otherwise `address` itself. Returns null for text that is not an IP address in its canonical spelling.
 */
export function parseDestination(address: string): Address | null {
  const parsed = parseCanonical(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed;
  return isNat64(parsed) || parsed.isIPv4MappedAddress() ? embeddedIPv4(parsed) : parsed;
}

/**
 * Returns the network of a visitor: an IPv4 address, or the /56 of an IPv6 address. Returns undefined for text that is
 * not an IP address in its canonical spelling. Providers assign at least a /56 to each household (RIPE-690). With a
 * limit per /64, one household could act as 256 visitors. The drawback is that at some hosting providers, 256 servers
 * share one limit.
 */
export function networkOf(address: string): string | undefined {
  const parsed = parseDestination(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString();
  const network = [...parsed.toByteArray().slice(0, 7), ...new Array<number>(9).fill(0)];
  return `${new ipaddr.IPv6(network).toString()}/56`;
}

/**
 * Returns whether an IP address is loopback, RFC 1918 private or IPv6 unique-local: the ranges that
 * `--allow-private-fetch` opens.
 */
export function addressIsPrivate(address: string): boolean {
  const range = parseCanonical(address)?.range() ?? '';
  return range === 'loopback' || range === 'private' || range === 'uniqueLocal';
}

/**
 * Returns whether a host refers to this computer: 127.0.0.0/8, ::1 (also IPv4-mapped), `localhost` or a name under it
 * (RFC 6761 section 6.3). Takes the host in the form of `URL.hostname`. Checks only the spelling and makes no DNS
 * query.
 */
export function hostIsLoopback(hostname: string): boolean {
  const host = bareHost(hostname);
  if (isLocalhostName(host)) return true;
  const parsed = parseCanonical(host);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    return parsed.toIPv4Address().range() === 'loopback';
  }
  return parsed?.range() === 'loopback';
}

/**
 * Returns whether a connection to an IP address stays on this computer: 127.0.0.0/8 and ::1, and the unspecified
 * addresses, which systems take for these. Takes IPv4-mapped and NAT64 addresses too.
 */
export function addressLeadsHere(address: string): boolean {
  const range = parseDestination(address)?.range();
  return range === 'loopback' || range === 'unspecified';
}

/** Returns whether a host is `localhost` or a name under it. The host must have no brackets and no trailing dot. */
export function isLocalhostName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * Returns a host in lower case, without the brackets of an IPv6 literal and without the trailing dot of the DNS root.
 */
export function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function parseCanonical(address: string): Address | null {
  // Skip the parser for most host names, because the parser would throw and catch an error for each of them.
  if (!address.includes(':') && !/^[\d.]+$/.test(address)) return null;
  // Only the plain decimal spelling is accepted, because programs disagree on what 010.0.0.1 means.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  if (address.includes('%') || !ipaddr.IPv6.isValid(address)) return null;
  return ipaddr.IPv6.parse(address);
}

/**
 * Returns whether an address is in 2000::/3, the only range that IANA has allocated for global unicast. This also
 * excludes ::/96 (IPv4-compatible).
 */
function isGlobalUnicast6(address: ipaddr.IPv6): boolean {
  return address.match(ipaddr.IPv6.parse('2000::'), 3);
}

/**
 * Returns whether an address has the well-known NAT64 prefix (RFC 6052). On an IPv6-only network, DNS64 returns such an
 * address for every IPv4-only site. Whether the address is public depends on the IPv4 address in its last 32 bits. The
 * local-use prefix 64:ff9b:1::/48 (RFC 8215) is not accepted.
 */
function isNat64(address: ipaddr.IPv6): boolean {
  return address.match(ipaddr.IPv6.parse('64:ff9b::'), 96);
}

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
