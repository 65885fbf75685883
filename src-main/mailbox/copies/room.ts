import { mostCopiesBytes, type Copy } from '../../platform/mailbox-protocol.ts';
import { isFileAddress } from './copied-addresses.ts';

/**
 * Decides which of these new copies to store, so that the total size of all copies stays below the limit of the mailbox
 * at Cloudflare. If space is short, the largest pictures and files are left out first, then the largest pages and feeds.
 * `stored`: the sizes of the copies in the mailbox. `last`: the addresses to leave out last. Returns in `leftOut` the
 * addresses that must have no copy, with the sizes of their content in bytes. The caller must remove their existing
 * copies before it stores new copies.
 */
export function chooseCopies(
  copies: readonly Copy[],
  stored: ReadonlyMap<string, { readonly bytes: number }>,
  last: readonly string[],
  most = mostCopiesBytes,
): { fitting: Copy[]; leftOut: ReadonlyMap<string, number> } {
  const sizes = new Map([...stored].map(([address, { bytes }]) => [address, bytes]));
  for (const { address, body } of copies) sizes.set(address, body.length);
  const rankOf = (address: string) => (last.includes(address) ? 2 : isFileAddress(address) ? 0 : 1);
  const leftOut = new Map<string, number>();
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const leastWanted =
    bytes > most
      ? [...sizes].sort(([a, size], [b, other]) => rankOf(a) - rankOf(b) || other - size || (a < b ? -1 : 1))
      : [];
  for (const [address, size] of leastWanted) {
    if (bytes <= most) break;
    leftOut.set(address, size);
    bytes -= size;
  }
  const growth = ({ address, body }: Copy) => body.length - (stored.get(address)?.bytes ?? 0);
  // Copies that are smaller than the copies they replace are stored first, so that the total never exceeds the limit.
  const fitting = copies.filter(({ address }) => !leftOut.has(address)).sort((a, b) => growth(a) - growth(b));
  return { fitting, leftOut };
}
