import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { boundedCache } from './bounded-cache.ts';
import type { DurableFileOptions } from './durable-file.ts';
import { verified } from './held-folders.ts';
import { openLogMonth, type EntrySchema, type LogItem, type Place } from './log-month.ts';
import { isValid } from './schema-check.ts';
import { errorCode, readFailure } from './storage-error.ts';

/** How many months stay in memory. */
const openMonths = 6;

export interface MonthlyLogOptions<S extends EntrySchema> extends Pick<
  DurableFileOptions<unknown>,
  'onRecovered' | 'now' | 'operations'
> {
  /** The folder of the monthly documents, such as `2026-11.json`. */
  dir: string;
  /** The schema of an item, with an `id` (unique) and an `at` (ISO 8601, UTC). */
  schema: S;
}

export interface LogPage<T> {
  /** The items, newest first. */
  items: T[];
  /** The cursor for the next page; absent on the last one. */
  nextCursor?: string;
}

/** A log of events with one document per month. Months are read when they are needed. */
export interface MonthlyLog<T> {
  /**
   * Adds an item to the month of its `at`. Resolves once it is on disk. A month keeps its newest 5,000 items.
   *
   * @throws PorchlightError `storage_invalid`, `storage_full`, `storage_unwritable`, and what opening throws.
   */
  append(item: T): Promise<void>;
  /**
   * Returns up to `limit` items that `wanted` accepts, newest first, from the start or after the page that returned
   * `cursor`. New items do not shift the pages.
   *
   * @throws PorchlightError `invalid_request` for a cursor that this log did not return, and what opening throws.
   */
  list(page: {
    limit: number;
    cursor?: string | undefined;
    wanted?: ((item: T) => boolean) | undefined;
  }): Promise<LogPage<T>>;
}

/** Opens the log in `dir`. The first item creates the folder. Open each log only once per process. */
export function openMonthlyLog<S extends EntrySchema>(options: MonthlyLogOptions<S>): MonthlyLog<LogItem<S>> {
  const { dir, schema, ...rest } = options;
  const months = boundedCache(openMonths, (month) =>
    openLogMonth(schema, { ...rest, file: join(dir, `${month}.json`) }),
  );

  return {
    async append(item) {
      const month = monthOf(item.at);
      if (month === undefined || !isValid(schema, item)) {
        throw new PorchlightError('storage_invalid', `The log in "${dir}" cannot hold this item.`, 500);
      }
      await months.use(month, (log) => log.append(item));
    },

    async list({ limit, cursor, wanted }) {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const items: LogItem<S>[] = [];
      for (const month of await monthsIn(dir)) {
        // One extra item shows whether there is another page after this one.
        const missing = limit + 1 - items.length;
        if (missing === 0) break;
        if (after !== undefined && month > after.month) continue;
        const place = month === after?.month ? after : undefined;
        items.push(...(await months.use(month, (log) => log.newest(missing, place, wanted))));
      }
      if (items.length <= limit) return { items };
      const page = items.slice(0, limit);
      const last = page.at(-1);
      return last === undefined ? { items: page } : { items: page, nextCursor: `${last.at}_${last.id}` };
    },
  };
}

function monthOf(at: string): string | undefined {
  return /^\d{4}-(?:0[1-9]|1[0-2])(?=-)/.exec(at)?.[0];
}

function parseCursor(cursor: string): Place & { month: string } {
  const month = monthOf(cursor);
  const cut = cursor.indexOf('_');
  if (month === undefined || cut === -1) {
    throw new PorchlightError('invalid_request', 'This cursor doesn’t belong to this list.');
  }
  return { month, at: cursor.slice(0, cut), id: cursor.slice(cut + 1) };
}

/**
 * Returns the months that have a document, newest first. Includes months of which only a previous version exists,
 * because it can be recovered.
 */
async function monthsIn(dir: string): Promise<string[]> {
  try {
    const names = await verified(dir, () => readdir(dir));
    const months = names.map((name) => /^(\d{4}-\d{2})\.json(?:\.previous)?$/.exec(name)?.[1]);
    return [...new Set(months.filter((month) => month !== undefined))].sort().reverse();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw readFailure(dir, error);
  }
}
