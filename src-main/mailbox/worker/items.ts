import { createCrowdLimits } from '../../platform/crowd-limits.ts';
import type { SealedItem } from '../../platform/mailbox-protocol.ts';
import { encodeBase64 } from './signature.ts';

/** The maximum number of waiting items, if all have the usual length. Together, they take 50 MB. */
const most = 20_000;
/** The usual length of a sealed item, in bytes. A longer item counts as several items. */
const usualBytes = 2_500;
/**
 * The maximum total size of the items that one call of `list` returns, in bytes. An item that is larger than this is
 * returned alone. In the response, base64 makes the items a third larger.
 */
const mostListedBytes = 1_000_000;

/** An item to store. Site, network and pair are tags (see keys.ts), which reveal nothing about the original values. */
export interface NewItem {
  readonly site: string;
  readonly network: string;
  /**
   * A tag of the mention's source and target. The mailbox keeps only one item for each pair. If null, the item is
   * never treated as a duplicate.
   */
  readonly pair: string | null;
  readonly sealed: Uint8Array<ArrayBuffer>;
}
/** The result of storing an item. `crowd`: too many items of the same site or network are waiting. */
export type KeptOrNot = 'kept' | 'crowd' | 'full';

interface Counted extends Record<string, SqlStorageValue> {
  number: number;
  /** The tag of the site. In items of mailboxes before version 5, it is that of the host. */
  host: string;
  network: string;
  pair: string | null;
  bytes: number;
}

/**
 * Opens the stored items and enforces their limits. Cloudflare counts each row that is read or written. To save reads,
 * this function counts the items only when the object starts, and then keeps the counts in memory.
 */
export function createItems(sql: SqlStorage) {
  const crowds = createCrowdLimits(most);
  /** Maps pairs (see `NewItem`) to the numbers of their items. */
  const pairs = new Map<string, number>();
  let kept = 0;
  let highest = 0;
  for (const row of sql.exec<Counted>('SELECT number, host, network, pair, bytes FROM items')) count(row, 1);
  /**
   * The highest item number that the server may have received. When the object starts, this is the highest stored
   * number, because the server may already have received any of the stored items.
   */
  let listed = highest;

  function count({ number, host, network, pair, bytes }: Counted, by: 1 | -1): void {
    crowds.change(partiesOf(host, network), by * unitsOf(bytes));
    kept += by;
    highest = Math.max(highest, number);
    if (pair === null) return;
    if (by > 0) pairs.set(pair, number);
    else pairs.delete(pair);
  }

  /**
   * Renumbers an item that arrived again, if the server may have received it under its old number. Otherwise, the
   * server would ignore the item as a duplicate. An item that the server can't have received stays unchanged, to save
   * a write.
   */
  function renew(pair: string, number: number, arrived: number, next: number): void {
    if (number > listed) return;
    sql.exec('UPDATE items SET number = ?, arrived = ? WHERE number = ?', next, arrived, number);
    pairs.set(pair, next);
    highest = next;
  }

  return {
    kept: () => kept,

    /** Stores an item, with a number above `lastItem`. Never drops a waiting item to make space. */
    add({ site, network, pair, sealed }: NewItem, arrived: number, lastItem: number): KeptOrNot {
      const next = Math.max(highest, lastItem) + 1;
      const known = pair === null ? undefined : pairs.get(pair);
      if (pair !== null && known !== undefined) {
        renew(pair, known, arrived, next);
        return 'kept';
      }
      const crowd = crowds.crowd(partiesOf(site, network), unitsOf(sealed.length));
      if (crowd !== undefined) return crowd === 'all' ? 'full' : 'crowd';
      const bytes = sealed.length;
      const insert = 'INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?)';
      sql.exec(insert, next, arrived, site, network, pair, bytes, sealed.buffer);
      count({ number: next, host: site, network, pair, bytes }, 1);
      return 'kept';
    },

    /** Returns at most `limit` of the oldest items with a number above `after`. */
    list(after: number, limit: number): SealedItem[] {
      const rows = sql.exec<{ number: number; arrived: number; sealed: ArrayBuffer }>(
        'SELECT number, arrived, sealed FROM items WHERE number > ? ORDER BY number LIMIT ?',
        after,
        limit,
      );
      const items: SealedItem[] = [];
      let bytes = 0;
      for (const { number, arrived, sealed } of rows) {
        bytes += sealed.byteLength;
        if (bytes > mostListedBytes && items.length > 0) break;
        listed = Math.max(listed, number);
        items.push({
          number,
          arrived: new Date(arrived).toISOString(),
          sealed: base64urlOf(new Uint8Array(sealed)),
        });
      }
      return items;
    },

    /**
     * Deletes items. Returns the highest number that any item has had since the object started. The caller must store
     * this number before the object restarts, so that no number is reused.
     */
    remove(numbers: readonly number[]): number {
      for (const number of numbers) {
        const [row] = sql
          .exec<Counted>(
            'DELETE FROM items WHERE number = ? RETURNING number, host, network, pair, bytes',
            number,
          )
          .toArray();
        if (row !== undefined) count(row, -1);
      }
      return highest;
    },
  };
}

const unitsOf = (bytes: number) => Math.ceil(bytes / usualBytes);
const partiesOf = (site: string, network: string) => [`site ${site}`, `network ${network}`];
const base64urlOf = (bytes: Uint8Array) =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
