import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** How often the network is looked at, in ms. */
const lookMs = 15_000;

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Calls `changed` when the computer is in another network than before; not when it only lost the one it was in. */
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
 * Which networks the computer is in, as text to compare; empty where in none. Of IPv6 only the network's part counts:
 * the rest changes by itself, for privacy.
 */
export function networkSignature(interfaces: Interfaces): string {
  const places = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ family, address }) => `${name} ${family === 'IPv6' ? networkPart(address) : address}`),
  );
  return [...new Set(places)].sort().join('\n');
}

// The first 64 bits, whether zeros are written out or left out.
function networkPart(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
