/**
 * Returns the network of a visitor: the IPv4 address, or the first 56 bits of an IPv6 address, which all devices in a
 * household share. `address`: the visitor's IP address in Cloudflare's notation. All visitors whose address is null
 * count as one network.
 */
export function networkOf(address: string | null): string {
  if (address === null || !address.includes(':')) return address ?? '';
  const [head = '', tail] = address.toLowerCase().split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const gap = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...gap, ...after].map((group) => group.padStart(4, '0'));
  return groups.slice(0, 4).join('').slice(0, 14);
}
