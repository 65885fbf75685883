import { Type, type Static, type TObject, type TString } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { coalesced } from './coalesce.ts';
import { openDocument } from './document.ts';
import type { DurableFileOptions } from './durable-file.ts';

/** The properties of every item of a log: an identifier and a time (ISO 8601, UTC). */
export type EntrySchema = TObject<{ id: TString; at: TString }>;

const monthSchema = <S extends EntrySchema>(item: S) => closed({ items: Type.Array(item) });

/** An item as it is stored in its month. */
export type LogItem<S extends EntrySchema> = Static<ReturnType<typeof monthSchema<S>>>['items'][number];

/** The position of an item in the log. */
export interface Place {
  id: string;
  at: string;
}

export interface LogMonth<T> {
  /** Adds a valid item. Resolves once it is on disk. */
  append(item: T): Promise<void>;
  /**
   * Returns up to `count` items that `wanted` accepts, newest first. With `place`, returns only items older than the
   * one at `place`.
   */
  newest(count: number, place?: Place, wanted?: (item: T) => boolean): T[];
}

/** How many items a month keeps. Older ones are dropped to bound the cost of adding one. */
const keptItems = 5000;

/**
 * Opens one month of a log. Items are ordered by `at`, then by arrival. Items that arrive in a burst share one change.
 */
export async function openLogMonth<S extends EntrySchema>(
  item: S,
  options: Omit<DurableFileOptions<unknown>, 'codec'>,
): Promise<LogMonth<LogItem<S>>> {
  const document = await openDocument({
    ...options,
    schema: monthSchema(item),
    format: 1,
    initial: { items: [] },
  });
  const queue: LogItem<S>[] = [];

  const save = coalesced(async () => {
    const arrived = queue.splice(0);
    await document.update(({ items }) => {
      for (const entry of arrived) {
        items.splice(items.findLastIndex((other) => other.at <= entry.at) + 1, 0, entry);
      }
      items.splice(0, items.length - keptItems);
    });
  });

  return {
    append(entry) {
      queue.push(structuredClone(entry));
      return save();
    },
    newest(count, place, wanted) {
      const { items } = document.data;
      const end = place === undefined ? items.length : placeIn(items, place);
      if (wanted === undefined) return items.slice(Math.max(0, end - count), end).reverse();
      return items.slice(0, end).reverse().filter(wanted).slice(0, count);
    },
  };
}

/** Returns the index of an item, or the index where it would be if the month no longer contains it. */
function placeIn(items: readonly Place[], { id, at }: Place): number {
  const found = items.findIndex((item) => item.id === id);
  return found === -1 ? items.findLastIndex((item) => item.at < at) + 1 : found;
}
