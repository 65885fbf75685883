import { Type, type Static, type TObject, type TString } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { coalesced } from './coalesce.ts';
import { openDocument } from './document.ts';
import type { DurableFileOptions } from './durable-file.ts';

/** What every item of a log has: an identifier and its moment (ISO 8601, UTC). */
export type EntrySchema = TObject<{ id: TString; at: TString }>;

const monthSchema = <S extends EntrySchema>(item: S) => closed({ items: Type.Array(item) });

/** An item, as its month holds it. */
export type LogItem<S extends EntrySchema> = Static<ReturnType<typeof monthSchema<S>>>['items'][number];

/** The place of an item in the log. */
export interface Place {
  id: string;
  at: string;
}

export interface LogMonth<T> {
  /** Adds a valid item; resolves once it is on disk. */
  append(item: T): Promise<void>;
  /** Up to `count` items that `wanted` takes, newest first: from the newest on, or those older than the item at `place`. */
  newest(count: number, place?: Place, wanted?: (item: T) => boolean): T[];
}

/** Items that a month keeps, the newest ones: what one more costs does not grow without end. */
const keptItems = 5000;

/** Opens one month of a log. Its items are in the order of `at`, then of arrival; those of a burst share one change. */
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

/** Where the item is, or would be if the month still had it. */
function placeIn(items: readonly Place[], { id, at }: Place): number {
  const found = items.findIndex((item) => item.id === id);
  return found === -1 ? items.findLastIndex((item) => item.at < at) + 1 : found;
}
