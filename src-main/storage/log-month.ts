import { join } from 'node:path';
import type { Codec } from './document-format.ts';
import { entryIn, keepDamaged, openJournal, readContent } from './journal.ts';
import { lastLineEnd, readLines, readLinesBack } from './line-file.ts';
import type { Recovery } from './recovery.ts';

/** The properties of every entry of a log: an identifier and a time (ISO 8601, UTC). */
export interface LogEntry {
  readonly id: string;
  readonly at: string;
}

/**
 * The position of an entry in a log. `start`: the offset of its line, in bytes. The offset is out of date if the
 * month's file was rewritten.
 */
export interface LogPlace extends LogEntry {
  readonly start?: number | undefined;
}

interface Wish<T> {
  readonly count: number;
  readonly place: LogPlace | undefined;
  readonly wanted: (entry: T) => boolean;
}

/** An entry that was found. `start`: the offset of its line, in bytes. */
interface Found<T> {
  readonly entry: T;
  readonly start: number;
}

export interface LogMonthOptions<T extends LogEntry> {
  readonly dir: string;
  /** Converts entries to lines and back. */
  readonly codec: Codec<T>;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => Date;
}

/**
 * Returns the month at the start of an ISO 8601 time, such as `2026-11`; undefined if the text doesn't start with a
 * month.
 */
export const monthOfMoment = (at: string): string | undefined =>
  /^\d{4}-(?:0[1-9]|1[0-2])(?=-)/.exec(at)?.[0];

export const logFile = (dir: string, month: string) => join(dir, `${month}.jsonl`);

/**
 * Returns a codec for the lines of one month. The codec rejects entries of other months, because a cursor identifies an
 * entry's file by the entry's month.
 */
export const codecOfMonth = <T extends LogEntry>(codec: Codec<T>, month: string): Codec<T> => ({
  encode: (entry) => codec.encode(entry),
  decode(stored, file) {
    const decoded = codec.decode(stored, file);
    const isOurs = !('data' in decoded) || monthOfMoment(decoded.data.at) === month;
    return isOurs ? decoded : { broken: 'it belongs to another month' };
  },
});

/**
 * Opens one month of a log: a journal of its entries. The entries are sorted by time, except those that arrived late.
 * The first listing that finds a late entry sorts the month's file. Memory use and the cost of adding an entry don't
 * depend on the size of the month.
 */
export async function openLogMonth<T extends LogEntry>(month: string, options: LogMonthOptions<T>) {
  const { dir, onRecovered, now } = options;
  const file = logFile(dir, month);
  const codec = codecOfMonth(options.codec, month);
  const journal = openJournal(file, codec, await lastLineEnd(file));

  /** Rewrites the month with its entries sorted by time, and without unreadable lines. */
  const arrange = () =>
    journal.rewrite(async () => {
      const { entries, unread } = await readContent(file, codec);
      if (unread > 0) await keepDamaged(file, { onRecovered, now });
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      return [...byId.values()].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
    });

  /** Returns the entry in a line, or undefined if the line is not completely valid. */
  function entryOf(text: string): T | undefined {
    const decoded = entryIn(text, codec, file);
    return 'data' in decoded && (decoded.lost ?? []).length === 0 ? decoded.data : undefined;
  }

  /** Returns whether the line of this entry still begins at `start`. */
  async function isThere({ id, at, start }: LogPlace): Promise<boolean> {
    if (start === undefined) return false;
    for await (const [line] of readLines(file, start)) {
      const entry = line && entryOf(line.text);
      return entry?.id === id && entry.at === at;
    }
    return false;
  }

  async function newest(wish: Wish<T>, mayArrange: boolean): Promise<Found<T>[]> {
    const { count, place, wanted } = wish;
    // Start at `place` if the entry's line still begins there. Otherwise, search from the end of the file.
    const isKnown = place !== undefined && (await isThere(place));
    let isPast = isKnown || place === undefined;
    let above = isKnown ? place : undefined;
    const found: Found<T>[] = [];
    for await (const lines of readLinesBack(file, isKnown ? place.start : journal.size))
      for (const { text, start } of lines) {
        if (text === '') continue;
        const entry = entryOf(text);
        const isInOrder = entry !== undefined && (above === undefined || entry.at <= above.at);
        if (!isInOrder && mayArrange) {
          // If sorting fails, for example because the disk is full, list the entries in the order of the file.
          await arrange().catch(() => undefined);
          return newest(wish, false);
        }
        if (entry === undefined) continue;
        above = entry;
        if (!isPast && place !== undefined) {
          isPast = entry.at < place.at || (entry.at === place.at && entry.id === place.id);
          if (entry.at >= place.at) continue;
        }
        if (wanted(entry)) found.push({ entry, start });
        if (found.length === count) return found;
      }
    return found;
  }

  return {
    /** Adds an entry to this month's file. Resolves once the entry is on disk. */
    append: (entry: T) => journal.append([entry]),
    /**
     * Returns up to `count` entries that `wanted` accepts and that are older than the entry at `place` (if given),
     * newest first.
     */
    newest: (wish: Wish<T>) => newest(wish, true),
    close: () => journal.close(),
  };
}
