import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';
import { addressIsPublic, parseDestination, type Address } from './address.ts';
import { systemClock, type Clock } from './clock.ts';

export type OwnNetworks = ReturnType<typeof createOwnNetworks>;

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

export interface OwnNetworksOptions {
  /** Returns this computer's addresses as other servers see them. */
  readonly learnt: () => readonly string[];
  readonly look?: () => Interfaces;
  readonly clock?: Clock;
}

type Network = readonly [address: Address, prefix: number];

/**
 * How long the list of interfaces is cached, in ms. Reading it is cheap, but should not happen for every link on a
 * page.
 */
const keptMs = 5_000;
/**
 * The shortest IPv4 prefix that is accepted, in bits. No local network is larger; a wider netmask comes from a tunnel
 * or a mistake.
 */
const widestIPv4 = 16;
/**
 * The prefix, in bits, that counts as one home. Providers give a home a /56 (RIPE-690), and each of its networks gets a
 * /64.
 */
const homeIPv6 = 56;
const widestIPv6 = 48;

/**
 * Returns this computer's networks, whose public addresses lead to this computer or to its neighbours, such as a router
 * or another computer at home: those of its interfaces, with their netmasks, and those around the learnt addresses. The
 * interfaces are read again after five seconds, so a new network is included almost at once.
 */
export function createOwnNetworks(options: OwnNetworksOptions) {
  const { learnt, look = networkInterfaces, clock = systemClock } = options;
  let here: readonly Network[] = [];
  let lookedAt = -Infinity;

  function ofInterfaces(): readonly Network[] {
    if (Math.abs(clock() - lookedAt) < keptMs) return here;
    try {
      here = networksOf(look());
      lookedAt = clock();
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
 * Returns the network around a public address; none for any other address. `prefix`: the bits of its netmask, if it has
 * one.
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
