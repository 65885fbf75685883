import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';
import { addressIsPublic, parseDestination, type Address } from './address.ts';
import { systemClock, type Clock } from './clock.ts';

/** The public addresses that lead to this computer or to its neighbours, such as a router or another computer at home. */
export interface OwnNetworks {
  /** Returns whether an IP address belongs to one of the networks that this computer is in. */
  readonly include: (address: string) => boolean;
}

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

export interface OwnNetworksOptions {
  /** The addresses from which the world sees this computer's requests come. */
  readonly learnt: () => readonly string[];
  readonly look?: () => Interfaces;
  readonly clock?: Clock;
}

type Network = readonly [address: Address, prefix: number];

/** Reading the interfaces is cheap, but a page of links should not do it a hundred times. In ms. */
const keptMs = 5_000;
/** No link has more IPv4 addresses than this; a wider netmask comes from a tunnel or a mistake. */
const widestIPv4 = 16;
/** Providers give a home a /56 (RIPE-690), and each of its networks a /64 of it. */
const homeIPv6 = 56;
const widestIPv6 = 48;

/**
 * Knows the networks of this computer: what its interfaces have, with their netmasks, and what was learnt from outside.
 * The interfaces are read again after five seconds, so a new network counts at once.
 */
export function createOwnNetworks(options: OwnNetworksOptions): OwnNetworks {
  const { learnt, look = networkInterfaces, clock = systemClock } = options;
  let here: readonly Network[] = [];
  let lookedAt = -Infinity;

  function ofInterfaces(): readonly Network[] {
    if (Math.abs(clock() - lookedAt) < keptMs) return here;
    try {
      here = networksOf(look());
      lookedAt = clock();
    } catch {
      // Some sandboxes do not tell at all. What was known before still counts.
    }
    return here;
  }

  return {
    include(text) {
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

/** The network around a public address; none around any other. `prefix`: the bits of its netmask, where it has one. */
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
