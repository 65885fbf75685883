import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { MediaKind } from '../contract/media.ts';
import { closed, orNull } from '../contract/shapes.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { monthsIn } from '../storage/file-facts.ts';
import { searchable, storable } from '../storage/search-text.ts';
import { readRecords, withClosedRecords } from '../storage/records/closed-records.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import {
  type Cell,
  cellsOf,
  columnsOf,
  readRow,
  recordTable,
  type Row,
} from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { mediaFilesIn, mediaPath, mediaPlace, type MediaPlace, partsOfFileName } from './media-name.ts';
import type { MediaFile, MediaFilter, MediaPage, MediaStore } from './media-store.ts';
import { mediaKindOf } from './media-types.ts';

const Pixels = orNull(Type.Integer({ minimum: 1 }));
const Flag = Type.Union([Type.Literal(0), Type.Literal(1)]);

/** Whether a file is gone. `deleted`: by Porchlight. `missing`: the owner has removed it from the folder. */
export const presence = { there: 0, deleted: 1, missing: 2 } as const;

/**
 * The records of the media files. A deleted file's row has only its path, so that its URL answers 410, and
 * the URL of which it was a copy. `measured`:
 * whether Porchlight has tried to measure the picture. `month`: derived from the path.
 *
 * `media_state`: a row while the files are known to match their rows. It is written when Porchlight ends, so after a
 * kill or a restore, the files are compared. No backup contains it.
 */
export const mediaTable = recordTable({
  name: 'media',
  row: closed({
    path: Type.String(),
    gone: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)]),
    name: orNull(Type.String({ minLength: 1 })),
    type: orNull(Type.String({ minLength: 1 })),
    kind: orNull(MediaKind),
    bytes: orNull(Type.Integer({ minimum: 0 })),
    width: Pixels,
    height: Pixels,
    uploaded_at: orNull(Type.String()),
    copy_of: orNull(Type.String({ maxLength: 100_000 })),
    uploaded_by: orNull(Type.String()),
    measured: Flag,
  }),
  isSound({ path, gone, name, type, kind, bytes, uploaded_at }) {
    if (mediaPlace(path) === undefined) return false;
    if (gone === presence.deleted) return true;
    if ([name, type, kind, bytes].includes(null) || uploaded_at === null) return false;
    // Lists are sorted by this text.
    const at = Date.parse(uploaded_at);
    return !Number.isNaN(at) && new Date(at).toISOString() === uploaded_at;
  },
  create: `
    CREATE TABLE IF NOT EXISTS media (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, gone INTEGER NOT NULL, name TEXT, type TEXT, kind TEXT,
      bytes INTEGER, width INTEGER, height INTEGER, uploaded_at TEXT, copy_of TEXT, uploaded_by TEXT,
      measured INTEGER NOT NULL,
      month TEXT GENERATED ALWAYS AS (substr(path, 8, 7)) VIRTUAL) STRICT;
    CREATE INDEX IF NOT EXISTS media_by_month ON media (month);
    CREATE INDEX IF NOT EXISTS media_by_time ON media (uploaded_at, path) WHERE gone = 0;
    CREATE INDEX IF NOT EXISTS media_by_kind ON media (kind, uploaded_at, path) WHERE gone = 0;
    CREATE INDEX IF NOT EXISTS media_by_type ON media (type, uploaded_at, path) WHERE gone = 0;
    CREATE INDEX IF NOT EXISTS media_by_copy ON media (copy_of) WHERE copy_of IS NOT NULL AND gone = 0;
    CREATE INDEX IF NOT EXISTS media_by_deleted_copy ON media (copy_of) WHERE copy_of IS NOT NULL AND gone = 1;
    CREATE INDEX IF NOT EXISTS media_by_uploader ON media (uploaded_by, uploaded_at, path) WHERE gone = 0;
    CREATE TABLE IF NOT EXISTS media_state (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,
  format: 1,
  // The type of a file is the one under which it is served: that of its name.
  cleaned(row) {
    const type = partsOfFileName(mediaPlace(row.path)?.file ?? '')?.type;
    return type === undefined || row.type === null ? row : { ...row, type, kind: mediaKindOf(type) };
  },
  // No upload gets the path of a deleted file, so a deletion is final.
  merge: (older, damaged) => (older?.gone === presence.deleted ? older : (damaged ?? older)),
});

type MediaRow = Static<typeof mediaTable.row>;

/** A file in the records. `isMeasured`: whether Porchlight has tried to measure the picture. */
export interface RecordedMedia {
  readonly file: MediaFile;
  readonly isMeasured: boolean;
}

const columns = columnsOf(mediaTable);
const selectMedia = `SELECT ${columns.join(', ')} FROM media`;
const putRow = `INSERT INTO media (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
  ON CONFLICT (path) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`;
/** Keeps the URL of which the file was a copy, so that a restore doesn't copy it again. */
const deleteRow = putRow.replace('copy_of = excluded.copy_of', 'copy_of = media.copy_of');
/** How many files a search by name reads before it lets other work run. */
const filesAtOnce = 500;

/** Writes the record of a file, in place of an earlier record of the same path. */
export function putFileRow({ run }: Transaction, file: MediaFile, isMeasured = true): void {
  const row: MediaRow = {
    path: file.path,
    gone: presence.there,
    name: storable(file.name),
    type: file.type,
    kind: file.kind,
    bytes: file.bytes,
    width: file.width,
    height: file.height,
    uploaded_at: file.uploadedAt,
    copy_of: file.copyOf,
    uploaded_by: file.uploadedBy ?? null,
    measured: isMeasured ? 1 : 0,
  };
  run(putRow, ...cellsOf(mediaTable, row));
}

/** Writes that Porchlight deleted the file at a path. */
export function putDeleted({ run }: Pick<Transaction, 'run'>, path: string): void {
  run(deleteRow, ...cellsOf(mediaTable, { path, gone: presence.deleted, measured: 0 }));
}

/** Writes whether a file that Porchlight didn't delete is missing from the folder. */
export function putMissing({ run }: Transaction, path: string, isMissing: boolean): void {
  run('UPDATE media SET gone = ? WHERE path = ? AND gone <> 1', isMissing ? presence.missing : 0, path);
}

export type MediaRows = ReturnType<typeof mediaRows>;

/** Creates the queries of the records of media files. */
export function mediaRows({ rows }: Pick<Records, 'rows'>) {
  return {
    /** Returns the file at a path, or undefined if the file was deleted or never existed. */
    get: (path: string): RecordedMedia | undefined =>
      rows(mediaOfRow, `${selectMedia} WHERE path = ? AND gone = 0`, path)[0],
    /** Returns the path of the newest copy of the picture, video or audio file at a URL. */
    copyOf: (url: string): string | undefined =>
      rows(
        ({ path }) => String(path),
        "SELECT path FROM media WHERE copy_of = ? AND gone = 0 AND kind <> 'document' ORDER BY id DESC LIMIT 1",
        url,
      )[0],
    /** Returns whether Porchlight deleted a copy of the file at a URL. */
    wasCopyDeleted: (url: string): boolean =>
      rows(() => true, 'SELECT 1 FROM media WHERE copy_of = ? AND gone = 1 LIMIT 1', url).length > 0,
    /** Returns whether a file once existed and was deleted, by Porchlight or manually. */
    isGone: (path: string): boolean =>
      rows(() => true, 'SELECT 1 FROM media WHERE path = ? AND gone <> 0', path).length > 0,
    /** Returns the months of which there are records. */
    months: (): string[] => rows(({ month }) => String(month), 'SELECT DISTINCT month FROM media'),

    /** Returns the presence of each recorded file of a month, by file name. */
    ofMonth: (month: string): Map<string, keyof typeof presence> =>
      new Map(
        rows(
          ({ path, gone }) => [
            String(path).slice(mediaPath({ month, file: '' }).length),
            gone === presence.there ? 'there' : gone === presence.deleted ? 'deleted' : 'missing',
          ],
          'SELECT path, gone FROM media WHERE month = ?',
          month,
        ),
      ),

    /**
     * Returns a page of files; see MediaStore.list.
     * @throws PorchlightError `invalid_request` for an invalid cursor.
     */
    async list({
      limit,
      offset = 0,
      cursor,
      filter = {},
    }: Parameters<MediaStore['list']>[0]): Promise<MediaPage> {
      const { conditions, cells } = conditionsOf(filter);
      const matches = matcherOf(filter);
      const found: MediaFile[] = [];
      let place = cursor === undefined ? undefined : placeIn(cursor);
      let left = offset;
      // One extra file shows whether there is another page.
      while (found.length <= limit) {
        const after = place ? [...conditions, '(uploaded_at, path) < (?, ?)'] : conditions;
        const most = matches ? filesAtOnce : limit + 1;
        const files = rows(
          (row) => mediaOfRow(row).file,
          `${selectMedia} WHERE ${after.join(' AND ')} ORDER BY uploaded_at DESC, path DESC LIMIT ? OFFSET ?`,
          ...cells,
          ...(place ?? []),
          most,
          matches ? 0 : offset,
        );
        const matching = matches ? files.filter(matches) : files;
        found.push(...(matches ? matching.slice(left) : matching));
        left = Math.max(0, left - matching.length);
        const last = files.at(-1);
        if (!matches || last === undefined || files.length < most) break;
        place = [last.uploadedAt, last.path];
        await nextTurn();
      }
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(found.length > limit && last && { nextCursor: cursorOf(last) }) };
    },
  };
}

function mediaOfRow(row: Row): RecordedMedia {
  const { path, name, type, kind, bytes, width, height, copy_of, uploaded_at, uploaded_by } = readRow(
    mediaTable,
    row,
  );
  return {
    file: {
      path,
      name: String(name),
      type: String(type),
      kind: kind ?? mediaKindOf(String(type)),
      bytes: Number(bytes),
      width,
      height,
      uploadedAt: String(uploaded_at),
      copyOf: copy_of,
      ...(uploaded_by !== null && { uploadedBy: uploaded_by }),
    },
    isMeasured: row['measured'] === 1,
  };
}

/** Returns the test for the part of a filter that SQL can't express; undefined if there is none. */
function matcherOf({ text = '' }: MediaFilter): ((file: MediaFile) => boolean) | undefined {
  const words = searchable(text.normalize('NFC'));
  return words === '' ? undefined : ({ name }) => searchable(name).includes(words);
}

function conditionsOf({ kind, type, uploadedBy }: MediaFilter) {
  const conditions = ['gone = 0'];
  const cells: Cell[] = [];
  const where = (condition: string, ...values: Cell[]): void => {
    conditions.push(condition);
    cells.push(...values);
  };
  if (kind !== undefined) where('kind = ?', kind);
  if (uploadedBy !== undefined) where('uploaded_by = ?', uploadedBy);
  if (type?.includes('/')) where('type = ?', type.toLowerCase());
  else if (type !== undefined) {
    const main = `${type.toLowerCase()}/`;
    where('kind = ? AND substr(type, 1, ?) = ?', mediaKindOf(main), main.length, main);
  }
  return { conditions, cells };
}

/** Returns a cursor. It contains a position in the sort order, so it stays valid while files are added and deleted. */
const cursorOf = ({ uploadedAt, path }: MediaFile) =>
  Buffer.from(`${Date.parse(uploadedAt)} ${path}`).toString('base64url');

/** Returns the time (ISO 8601) and the path that a cursor contains. */
function placeIn(cursor: string): [at: string, path: string] {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, at, path] = /^(-?\d{1,15}) (\/media\/\d{4}\/\d{2}\/[\w.-]{1,200})$/.exec(text) ?? [];
  if (at !== undefined && path !== undefined && Math.abs(Number(at)) <= 8.64e15)
    return [new Date(Number(at)).toISOString(), path];
  throw new PorchlightError(
    'invalid_request',
    'This cursor is not valid. Load the list again from its start.',
  );
}

const mediaIn = (dataDir: string) => join(dataDir, 'media');

/** Returns the files that were deleted from the data folder `here` but still exist in the data folder `there`. */
export async function filesDeletedHere(here: string, there: string): Promise<MediaPlace[]> {
  const found: MediaPlace[] = [];
  for (const month of await monthsIn(mediaIn(there))) {
    const deleted = await deletedIn(here, month);
    for (const file of deleted.size > 0 ? await mediaFilesIn(join(mediaIn(there), month)) : [])
      if (deleted.has(mediaPath({ month, file }))) found.push({ month, file });
  }
  return found;
}

async function deletedIn(dataDir: string, month: string): Promise<Set<string>> {
  const found = await readRecords(dataDir, mediaTable, (database) =>
    database
      .prepare('SELECT path FROM media WHERE month = ? AND gone = ?')
      .all(month, presence.deleted)
      .map(({ path }) => String(path)),
  );
  return new Set(found === 'damaged' ? [] : found);
}

/**
 * Deletes the files in the data folder `there` that were deleted from the data folder `here`. No server may be using
 * `there`.
 */
export async function keepFilesDeleted(here: string, there: string): Promise<void> {
  const places = await filesDeletedHere(here, there);
  if (places.length === 0) return;
  // Record the deletions first. If this process is killed before it deletes the files, the next start deletes them
  // instead of listing them again.
  await withClosedRecords(there, [mediaTable], (database) => {
    const run = (sql: string, ...cells: readonly Cell[]) =>
      Number(database.prepare(sql).run(...cells).changes);
    for (const place of places) putDeleted({ run }, mediaPath(place));
  });
  for (const { month, file } of places) await nodeOperations.remove(join(mediaIn(there), month, file));
}
