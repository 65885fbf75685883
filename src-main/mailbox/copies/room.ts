import { mostCopiesBytes, type Copy } from '../../platform/mailbox-protocol.ts';
import type { AddressBook } from './address-book.ts';
import { isFileAddress } from './copied-addresses.ts';

/**
 * Creates the functions that decide which copies to store, so that their total size stays below the limit of the
 * mailbox at Cloudflare. If space is short, the largest pictures and files are left out first, then the largest pages
 * and feeds. `fixed`: returns the addresses to leave out last.
 */
export function createRoom(
  book: Pick<AddressBook, 'stamps' | 'leftOut' | 'mark'>,
  fixed: () => readonly string[],
  most = mostCopiesBytes,
) {
  /** Returns a comparison function that sorts addresses, each with its size, by priority (lowest first). */
  function leastWanted() {
    const last = new Set(fixed());
    const rankOf = (address: string) => (last.has(address) ? 2 : isFileAddress(address) ? 0 : 1);
    return ([a, size]: readonly [string, number], [b, other]: readonly [string, number]) =>
      rankOf(a) - rankOf(b) || other - size || (a < b ? -1 : 1);
  }

  const bytesOf = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((sum, n) => sum + n, 0);
  const stored = () => new Map([...book.stamps].map(([address, { bytes }]) => [address, bytes]));

  return {
    /**
     * Decides which of these new copies to store. `leftOut`: the addresses that must have no copy, with the sizes of
     * their content in bytes. The caller must remove their existing copies before it stores new copies.
     */
    choose(copies: readonly Copy[]): { fitting: Copy[]; leftOut: ReadonlyMap<string, number> } {
      const before = stored();
      const sizes = new Map(before);
      for (const { address, body } of copies) sizes.set(address, body.length);
      const leftOut = new Map<string, number>();
      let bytes = bytesOf(sizes);
      if (bytes > most)
        for (const [address, size] of [...sizes].sort(leastWanted())) {
          if (bytes <= most) break;
          leftOut.set(address, size);
          bytes -= size;
        }
      const growth = ({ address, body }: Copy) => body.length - (before.get(address) ?? 0);
      // Copies that are smaller than the copies they replace are stored first, so that the total never exceeds the
      // limit.
      const fitting = copies
        .filter(({ address }) => !leftOut.has(address))
        .sort((a, b) => growth(a) - growth(b));
      return { fitting, leftOut };
    },

    /**
     * Looks at the addresses that were left out for lack of space, and requests another check of the most important
     * address. Does nothing if the copy of that address still doesn't fit.
     */
    offer(): void {
      if (book.leftOut.size === 0) return;
      const [next] = [...book.leftOut]
        .sort(leastWanted())
        .filter(([, size]) => size < Infinity)
        .slice(-1);
      if (next !== undefined && next[1] <= most - bytesOf(stored())) book.mark(next[0]);
    },
  };
}
