import { dirname, join } from 'node:path';
import { Type, type Static } from 'typebox';
import { namesIn } from '../file-facts.ts';
import { jsonText, putFile, readJson } from '../file-content.ts';
import { nodeOperations } from '../file-operations.ts';
import { oneAtATime } from '../pacing.ts';
import { isValid } from '../schema-check.ts';
import type { Database } from '../sqlite.ts';

/**
 * known.json, beside the database: what a start must find in it. If the database knows less, it is an older one, or its
 * log was lost or cut off.
 */
export const knownName = 'known.json';

const count = Type.Integer({ minimum: 0 });

/** What a database knows. Both numbers only grow. */
export const Known = Type.Object({
  /** The number of transactions that were committed. */
  commits: count,
  /** The number of changes that ended something: revocations, blocks, hidings and deletions. */
  endings: count,
});
export type Known = Static<typeof Known>;

const KnownFile = Type.Object({ format: Type.Literal(1), ...Known.properties });

/** The statements that create the numbers in a database. They change in the transactions that they count. */
export const createKnown = `
  CREATE TABLE IF NOT EXISTS known (
    id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL, endings INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO known VALUES (1, 0, 0)`;

/** Counts a transaction. The value is the number of its endings. */
export const countCommit = 'UPDATE known SET commits = commits + 1, endings = endings + ?';

/** Returns what a database knows; undefined if it has no numbers, or none that can be read. */
export function knownIn(database: Database): Known | undefined {
  try {
    const row = database.prepare('SELECT commits, endings FROM known').get();
    return isValid(Known, row) ? { commits: row.commits, endings: row.endings } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the highest of several numbers into a database. Returns them. */
export function putKnown(database: Database, all: readonly (Known | undefined)[]): Known {
  const most = (key: keyof Known) => Math.max(0, ...all.map((one) => one?.[key] ?? 0));
  const known = { commits: most('commits'), endings: most('endings') };
  database.prepare('UPDATE known SET commits = ?, endings = ?').run(known.commits, known.endings);
  return known;
}

/** What an empty database knows. */
export const nothingKnown: Known = { commits: 0, endings: 0 };

/** Returns whether a database lacks transactions or endings that are expected. Undefined stands for no numbers. */
export const knowsLess = (found = nothingKnown, expected = nothingKnown): boolean =>
  found.commits < expected.commits || found.endings < expected.endings;

/** Reads known.json in a data folder. Returns undefined if it is missing or can't be read: then nothing is expected. */
export async function readKnown(dir: string): Promise<Known | undefined> {
  const found = await readJson(join(dir, knownName), 'note', nodeOperations).catch(() => undefined);
  return found?.state === 'whole' && isValid(KnownFile, found.value) ? found.value : undefined;
}

/** Writes known.json in a data folder. */
export const writeKnown = (dir: string, { commits, endings }: Known): Promise<void> =>
  putFile(join(dir, knownName), jsonText({ format: 1, commits, endings }));

/** The files of a version before the database. A folder that has one of them may have lacked a database. */
const earlierFiles = ['activity', 'grants.json', 'lock', 'mentions'];

/** Returns whether posts or files show that a folder was in use with a database. */
export async function holdsData(dir: string): Promise<boolean> {
  const names = await namesIn(dir);
  if (earlierFiles.some((name) => names.includes(name))) return false;
  for (const name of ['posts', 'media']) if ((await namesIn(join(dir, name))).length > 0) return true;
  return false;
}

/** How long known.json may be behind the database, in ms. */
const behindMs = 500;

/** Writes known.json for an open database. */
export interface KnownWriter {
  /**
   * Takes what the database knows, once that is on disk. The first call with a new transaction resolves when known.json
   * has it: from then on, a log that is lost takes along what the file expects. After other calls, the file follows
   * within half a second.
   */
  reached(known: Known): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

/**
 * Returns what writes known.json beside the database in `file`. `opened`: what the database knew when it was opened. The
 * writer never fails: on a disk that can't be written, the file stays behind, and expects less.
 */
export function createKnownWriter(
  file: string,
  opened: Known,
  failed: (error: unknown) => void,
): KnownWriter {
  const dir = dirname(file);
  const inTurn = oneAtATime();
  let latest: Known | undefined;
  let saved: Known | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  const save = (): Promise<void> =>
    inTurn(async () => {
      timer = undefined;
      const next = latest;
      if (next === saved || next === undefined) return;
      try {
        // After a power cut, the log must be there if the file expects what is in it.
        if (saved === undefined) await nodeOperations.syncFolder(dir);
        await writeKnown(dir, next);
        saved = next;
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) failed(error);
        hasFailed = true;
      }
    });

  return {
    async reached(known) {
      latest = known;
      if (!hasFailed && (saved === undefined || saved.commits <= opened.commits)) await save();
      else timer ??= setTimeout(() => void save(), behindMs).unref();
    },
    async close() {
      clearTimeout(timer);
      await save();
    },
  };
}
