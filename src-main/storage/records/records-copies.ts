import { join } from 'node:path';
import { oneAtATime } from '../pacing.ts';
import { mustHaveReserve } from '../reserve.ts';
import type { GroupCommit } from './group-commit.ts';
import { documentsFor, type LinesFor, type RecordTable, tablesInLines } from './record-table.ts';
import { recordsName } from './records-file.ts';
import type { Place } from './records-place.ts';
import type { RecordsJob } from './records-worker.ts';
import { takeSnapshot } from './snapshots.ts';

/** The rows of the database at one moment. Call `end` in any case. */
export interface RecordLines {
  /** Begins to read all rows as they are now. */
  begin(): Promise<void>;
  /** Writes the rows into a folder: `records/<table>.jsonl` for each table, and the documents of others. */
  write(dir: string): Promise<void>;
  end(): void;
}

/** What reads the whole database at one moment. */
export interface RecordsCopies {
  /**
   * Prepares to read all rows. Waits for a copy or a checkpoint of the database that is being made, so don't call it
   * during a write pause, for which a copy may be waiting.
   */
  lines(purpose: LinesFor): Promise<RecordLines>;
  /** Returns the folders whose documents are written from rows, and not read from the disk. */
  documentFolders(purpose: LinesFor): readonly string[];
  /**
   * Makes a copy of the database in the data folder (see snapshots.ts).
   * @throws PorchlightError as `write` does
   */
  snapshot(): Promise<void>;
}

interface CopiesOptions {
  readonly dir: string;
  readonly tables: readonly RecordTable[];
  readonly commits: Pick<GroupCommit, 'holding'>;
  /** Runs jobs of the database's thread, one at a time. */
  readonly exclusive: ReturnType<typeof oneAtATime>;
  readonly failure: (error: unknown) => Error;
  /** Returns the open database. */
  readonly readable: () => Place;
  /** Returns the database, once it can be written to. */
  readonly writable: () => Promise<Place>;
}

/** Creates the functions that read the whole database for backups, moves and copies. */
export function createRecordsCopies(options: CopiesOptions): RecordsCopies {
  const { dir, tables, commits, exclusive, failure, readable, writable } = options;
  const snapshots = oneAtATime();

  return {
    documentFolders: (purpose) => documentsFor(tables, purpose).map(({ folder }) => folder),

    async lines(purpose): Promise<RecordLines> {
      readable().mustBeHere();
      const { file: open, thread } = readable();
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      await new Promise<void>((resolve) => {
        void exclusive(async () => {
          resolve();
          await ended;
          await thread.run({ kind: 'end' }).catch(() => undefined);
        });
      });
      const run = async (job: RecordsJob): Promise<void> => {
        await thread.run(job).catch((error: unknown) => {
          throw failure(error);
        });
      };
      const dumped = tablesInLines(tables, purpose);
      return {
        async begin() {
          if (open.isAlone)
            await new Promise<void>((resolve) => {
              void commits.holding(() => (resolve(), ended));
            });
          await run({ kind: 'begin' });
        },
        write: (folder) =>
          run({ kind: 'dump', dir: folder, tables: dumped, documents: documentsFor(tables, purpose) }),
        end,
      };
    },

    async snapshot() {
      mustHaveReserve(join(dir, recordsName));
      (await writable()).mustBeHere();
      const current = await writable();
      // Only the job itself is exclusive: a backup pauses changes of files, and waits for its own turn at the thread.
      const run = (job: RecordsJob) =>
        exclusive(() => {
          // The thread works by path, where other files may be by the time of its turn.
          current.mustBeHere();
          return current.thread.run(job);
        });
      const take = () => snapshots(() => takeSnapshot(dir, { tables, run }));
      try {
        // The folder may have been away for a moment, such as a disk that was mounted again.
        await take().catch(() => (current.mustBeHere(), take()));
      } catch (error) {
        current.mustBeHere();
        throw failure(error);
      }
    },
  };
}
