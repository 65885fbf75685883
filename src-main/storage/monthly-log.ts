import { PorchlightError } from '../contract/error.ts';
import { boundedCache } from './bounded-cache.ts';
import { namesIn } from './folder-names.ts';
import { readContent } from './journal.ts';
import {
  codecOfMonth,
  logFile,
  monthOfMoment,
  openLogMonth,
  type LogEntry,
  type LogMonthOptions,
  type LogPlace,
} from './log-month.ts';

/** The maximum number of months whose journals stay open. */
const openMonths = 6;

export interface LogPage<T> {
  /** The entries, newest first. */
  items: T[];
  /** The cursor for the next page; absent on the last page. */
  nextCursor?: string;
}

export type MonthlyLog<T extends LogEntry> = ReturnType<typeof openMonthlyLog<T>>;

export interface PageWanted<T> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly wanted?: ((entry: T) => boolean) | undefined;
}

/**
 * Opens the log of events in `dir`, with one journal per month: `2026-11.jsonl` and so on. The first entry creates the
 * folder. Open each log only once per process.
 */
export function openMonthlyLog<T extends LogEntry>(options: LogMonthOptions<T>) {
  const { dir, codec } = options;
  const months = boundedCache(
    openMonths,
    (month) => openLogMonth(month, options),
    (month) => month.close(),
  );

  return {
    /**
     * Adds an entry to the journal of the month in its `at`. Resolves once the entry is on disk. Entries that arrive
     * at the same time share a write.
     * @throws PorchlightError `storage_invalid`, and errors from a journal's `append` and from opening a month.
     */
    async append(entry: T): Promise<void> {
      const month = monthOfMoment(entry.at);
      const decoded = codec.decode(codec.encode(entry), dir);
      if (month === undefined || 'broken' in decoded || (decoded.lost ?? []).length > 0)
        throw new PorchlightError('storage_invalid', `The log in "${dir}" cannot hold this item.`, 500);
      await months.use(month, (log) => log.append(entry));
    },

    /**
     * Returns up to `limit` entries that `wanted` accepts, newest first. `cursor`: the `nextCursor` of the previous
     * page. New entries do not shift the pages.
     * @throws PorchlightError `invalid_request` for a cursor that this log did not return; `storage_newer`,
     * `storage_unreadable`, and errors from opening a month.
     */
    async list({ limit, cursor, wanted = () => true }: PageWanted<T>): Promise<LogPage<T>> {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const found: { entry: T; start: number }[] = [];
      for (const month of await loggedMonths(dir)) {
        // One extra entry shows whether there is a next page.
        const count = limit + 1 - found.length;
        if (count === 0) break;
        if (after !== undefined && month > after.month) continue;
        const place = month === after?.month ? after : undefined;
        found.push(...(await months.use(month, (log) => log.newest({ count, place, wanted }))));
      }
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(({ entry }) => entry),
        ...(found.length > limit &&
          last && { nextCursor: `${last.entry.at}_${last.entry.id}_${last.start}` }),
      };
    },

    /** Closes the files. A later call opens them again. */
    close: () => months.clear(),
  };
}

/**
 * Reads every entry of the log in `dir`, without changing anything. Returns the problems, as messages for the owner.
 */
export async function logProblems<T extends LogEntry>({
  dir,
  codec,
}: Pick<LogMonthOptions<T>, 'dir' | 'codec'>): Promise<string[]> {
  const problems: string[] = [];
  for (const month of await loggedMonths(dir)) {
    const { unread } = await readContent(logFile(dir, month), codecOfMonth(codec, month));
    if (unread > 0) problems.push(`The log of ${month} has lines that cannot be read.`);
  }
  return problems;
}

/** Parses a cursor, which contains the time, the id and the offset of the last entry of a page. */
function parseCursor(cursor: string): LogPlace & { month: string } {
  const [, at, id, start] = /^([^_]*)_(.*?)(?:_(\d{1,15}))?$/.exec(cursor) ?? [];
  const month = monthOfMoment(cursor);
  if (month === undefined || at === undefined || id === undefined)
    throw new PorchlightError('invalid_request', 'This cursor doesn’t belong to this list.');
  return { month, at, id, start: start === undefined ? undefined : Number(start) };
}

/** Returns the months that have a journal, newest first. */
async function loggedMonths(dir: string): Promise<string[]> {
  const months = (await namesIn(dir)).flatMap((name) => /^(\d{4}-\d{2})\.jsonl$/.exec(name)?.[1] ?? []);
  return months.sort().reverse();
}
