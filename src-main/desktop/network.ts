import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** How often to check the network, in ms. */
const lookMs = 15_000;

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Calls `changed` when the computer joins a different network. Doesn't call it when the computer only loses its
 * network.
 */
export function watchNetwork(changed: () => void, look: () => Interfaces = networkInterfaces): () => void {
  let known = networkSignature(look());
  const timer = setInterval(() => {
    const now = networkSignature(look());
    if (now === known) return;
    known = now;
    if (now !== '') changed();
  }, lookMs).unref();
  return () => clearInterval(timer);
}

/**
 * Returns a string that identifies the networks that the computer is connected to; empty if there are none. From an
 * IPv6 address, uses only the network part, because the host part changes regularly for privacy.
 */
export function networkSignature(interfaces: Interfaces): string {
  const places = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ family, address }) => `${name} ${family === 'IPv6' ? networkPart(address) : address}`),
  );
  return [...new Set(places)].sort().join('\n');
}

// Returns the first 64 bits of an IPv6 address. Accepts addresses in which zeros are abbreviated as `::`.
function networkPart(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
