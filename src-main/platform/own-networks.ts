import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';
import { addressIsPublic, parseDestination, type Address } from './address.ts';
import { systemClock, type Clock } from './clock.ts';

export type OwnNetworks = ReturnType<typeof createOwnNetworks>;

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

export interface OwnNetworksOptions {
  /** Returns this computer's addresses as they appear to other servers. */
  readonly learnt: () => readonly string[];
  readonly readInterfaces?: () => Interfaces;
  readonly clock?: Clock;
}

type Network = readonly [address: Address, prefix: number];

/**
 * How long the list of network interfaces is cached, in ms. Reading the list is cheap, but should not happen for every
 * link on a page.
 */
const keptMs = 5_000;
/**
 * The shortest IPv4 prefix of a local network, in bits. A shorter prefix comes from a tunnel or a mistake, and is
 * replaced with this length.
 */
const widestIPv4 = 16;
/**
 * The length of the IPv6 prefix that counts as one household, in bits. Internet providers assign a /56 to a household
 * (RIPE-690), and each network in it has a /64.
 */
const homeIPv6 = 56;
const widestIPv6 = 48;

/**
 * Creates a list of this computer's networks. Public addresses in these networks belong to this computer or its
 * neighbors, such as a router or another computer at home. The list contains the networks of this computer's
 * interfaces, and the networks that contain the addresses that `learnt` returns. The interfaces are read again after
 * five seconds, so a new network is soon included.
 */
export function createOwnNetworks(options: OwnNetworksOptions) {
  const { learnt, readInterfaces = networkInterfaces, clock = systemClock } = options;
  let here: readonly Network[] = [];
  let readAt = -Infinity;

  function ofInterfaces(): readonly Network[] {
    if (Math.abs(clock() - readAt) < keptMs) return here;
    try {
      here = networksOf(readInterfaces());
      readAt = clock();
    } catch {
      // Some sandboxes don't allow listing interfaces. Keep the networks known so far.
    }
    return here;
  }

  return {
    /** Returns whether an IP address belongs to one of this computer's networks. */
    include: (text: string): boolean => {
      const address = parseDestination(text);
      if (address === null) return false;
      const networks = [...ofInterfaces(), ...learnt().flatMap((one) => networkOf(one))];
      return networks.some((network) => isIn(address, network));
    },
  };
}

function networksOf(interfaces: Interfaces): Network[] {
  return Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .flatMap(({ address, cidr }) => networkOf(address, Number(cidr?.split('/')[1])));
}

/**
 * Returns the network that contains a public address; an empty list for any other address. `prefix`: the length of the
 * address's netmask in bits, if known.
 */
function networkOf(text: string, prefix = NaN): Network[] {
  const address = addressIsPublic(text) ? parseDestination(text) : null;
  if (address === null) return [];
  const most = address.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix >= 0 && prefix <= most ? prefix : most;
  if (address.kind() === 'ipv4') return [[address, Math.max(bits, widestIPv4)]];
  return [[address, Math.max(Math.min(bits, homeIPv6), widestIPv6)]];
}

function isIn(address: Address, [network, prefix]: Network): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, prefix);
  return network instanceof ipaddr.IPv6 && address.match(network, prefix);
}
