import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { lineAppender, noLines } from '../storage/line-appender.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import type { Recovery } from '../storage/recovery.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import { journalOf } from './media-folder.ts';
import { mediaIndex, mediaTables, type MediaIndex } from './media-index.ts';
import { mediaLineText, type MediaLine } from './media-lines.ts';
import { mediaPlace, type MediaPlace } from './media-name.ts';
import { reconcileMonth, removeFiles } from './media-reconcile.ts';
import { sweepIncoming } from './upload-file.ts';
import { monthsIn } from '../storage/folder-names.ts';

export interface MediaJournalsOptions {
  /** The media folder. */
  readonly dir: string;
  readonly index: IndexDatabase;
  /** Called for each repair of a damaged journal. If absent, a damaged journal causes an error. */
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the current time in ms. */
  readonly now: () => number;
  readonly log?: Pick<Log, 'warn'> | undefined;
}

/** Functions that change the files of a month. Valid only during a call of MediaJournals.change. */
export interface MonthEditor {
  readonly rows: MediaIndex;
  /** Adds a line to the month's journal and to the index. */
  readonly append: (line: MediaLine) => Promise<void>;
  /** Deletes a file and its thumbnail from the disk. If the deletion fails, the next start tries again. */
  readonly remove: (place: MediaPlace) => Promise<void>;
}

/** The journals of the months, and the index that is built from them. */
export interface MediaJournals {
  /** Resolves with the index once it matches the journals and the files. */
  rows(): Promise<MediaIndex>;
  /**
   * Returns the result of `read`, which looks up a path in the index. Returns undefined if no file can have that path.
   * @throws the error that made the month's rows unreliable, if there is one and `read` finds nothing
   */
  find<T>(path: string, read: (rows: MediaIndex) => T | undefined): Promise<T | undefined>;
  /**
   * Runs `work`, which changes the files of a month, while no other change runs.
   * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_changed`, or the error that
   * prevents the month's journal from being read
   */
  change<T>(month: string, work: (editor: MonthEditor) => Promise<T>): Promise<T>;
  /** Stops comparing the index with the disk, and waits for changes in progress. */
  close(): Promise<void>;
}

/**
 * The maximum number of open journals. Uploads use only the journal of the current month, but deletions may use any.
 */
const openFiles = 2;
/** How long to wait, in ms, before months that had errors are compared with the disk again. */
const retryMs = 10_000;

/**
 * Opens the journals in `dir`. If the index may be out of date, immediately starts comparing it with the journals and
 * the files. Partial uploads are deleted before the first comparison.
 */
export function createMediaJournals(options: MediaJournalsOptions): MediaJournals {
  const { dir, index, now, log } = options;
  const rows = mediaIndex(index);
  // Runs one task at a time, because no file may change while its month is compared with the index.
  const turn = oneAtATime();
  const stopped = new AbortController();
  const files = boundedCache(
    openFiles,
    (month) => Promise.resolve(lineAppender(journalOf(dir, month))),
    (file) => file.close(),
  );
  /** The months whose rows in the index may not match the disk, each with the error that made the rows unreliable. */
  const unusable = new Map<string, unknown>();
  /**
   * False if a file could not be added or removed. The index then counts as out of date, so the next start tries again.
   */
  let isWhole = true;
  let triedAt = 0;
  let isSwept = false;
  let reconciled: Promise<void> | undefined;
  if (!index.isTrusted(mediaTables)) ready().catch(() => undefined);

  /**
   * Resolves once the index has been updated from the disk. Retries months that had errors, at most once per `retryMs`,
   * because strangers can cause these calls. `isUrgent`: retries those months immediately.
   */
  function ready(isUrgent = false): Promise<void> {
    if (unusable.size > 0 && (isUrgent || Math.abs(now() - triedAt) >= retryMs)) reconciled = undefined;
    if (reconciled) return reconciled;
    triedAt = now();
    reconciled = turn(reconcile).catch((error: unknown) => {
      reconciled = undefined;
      throw error;
    });
    return reconciled;
  }

  async function reconcile(): Promise<void> {
    await files.clear(); // Windows can't replace an open file
    if (!isSwept) await sweepIncoming(dir);
    isSwept = true; // any later partial upload belongs to this process, so keep it
    const isTrusted = index.isTrusted(mediaTables);
    index.setTrusted(mediaTables, false);
    const all = async () => new Set([...(await monthsIn(dir)), ...rows.journals.names()]);
    for (const month of unusable.size > 0 ? [...unusable.keys()] : await all()) {
      try {
        const work = { ...options, rows, write, signal: stopped.signal };
        if (!(await reconcileMonth(month, isTrusted, work))) isWhole = false;
        unusable.delete(month);
      } catch (error) {
        stopped.signal.throwIfAborted();
        log?.warn({ err: error, month }, 'the files of a month could not be read');
        unusable.set(month, error);
      }
    }
    trust();
  }

  const trust = () => index.setTrusted(mediaTables, isWhole && unusable.size === 0);

  /** Marks a month's rows as unreliable. The month is compared with the disk before its next use. */
  function doubt(month: string, reason: unknown): void {
    unusable.set(month, reason);
    triedAt = -Infinity;
    trust();
  }

  /** Appends lines to a month's journal. Returns a function that adds the lines to the index. */
  async function write(month: string, lines: readonly MediaLine[]): Promise<() => void> {
    const known = rows.journals.get(month) ?? { ...noLines, lines: 0 };
    const text = lines.map(mediaLineText).join('');
    const state = await files.use(month, (file) => file.append(known.size, text));
    return () =>
      index.together(() => {
        for (const line of lines) rows.put(line);
        rows.journals.set(month, { ...state, lines: known.lines + lines.length });
      });
  }

  async function append(month: string, line: MediaLine): Promise<void> {
    const { size } = rows.journals.get(month) ?? noLines;
    const put = await write(month, [line]);
    try {
      put();
    } catch (error) {
      if (isDiskFailure(error)) {
        // The last block of the journal may have had room for the line, although the disk is full.
        await files.use(month, (file) => file.takeBack(size)).catch(() => undefined);
        throw error;
      }
      // The line is on disk, so the change is complete. The next comparison adds the line to the index.
      log?.warn({ err: error, month }, 'the index of files could not be written');
      doubt(month, error);
    }
  }

  return {
    rows: () => ready().then(() => rows),

    async find(path, read) {
      // Strangers can request any path, but SQLite ends a string at its first NUL. So look up only paths that a file
      // can have.
      const month = mediaPlace(path)?.month;
      if (month === undefined) return undefined;
      await ready();
      const found = read(rows);
      if (found === undefined && unusable.has(month)) throw unusable.get(month);
      return found;
    },

    async change(month, work) {
      await ready(unusable.has(month));
      return turn(async () => {
        stopped.signal.throwIfAborted();
        if (unusable.has(month)) throw unusable.get(month);
        try {
          return await work({
            rows,
            append: (line) => append(month, line),
            async remove(place) {
              if (!(await removeFiles(place, options))) isWhole = false;
              trust();
            },
          });
        } catch (error) {
          doubt(month, error); // part of the change may be on disk
          throw error;
        }
      });
    },

    async close() {
      stopped.abort();
      await turn(() => files.clear());
    },
  };
}
