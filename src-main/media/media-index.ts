import { PorchlightError } from '../contract/error.ts';
import type { Cell, IndexDatabase, IndexPart, Row } from '../storage/index/index-database.ts';
import { indexedFiles, indexedFilesTable, type IndexedFiles } from '../storage/index/indexed-files.ts';
import { containing, searchable } from '../storage/index/search-text.ts';
import { isFileLine, type FileLine, type MediaLine } from './media-lines.ts';
import { mediaPath, mediaPlace } from './media-name.ts';
import type { MediaFile, MediaFilter, MediaPage, MediaStore } from './media-store.ts';
import { mediaKindOf } from './media-types.ts';

/**
 * The tables of the media index. `gone`: whether the file was deleted, by Porchlight or manually. If Porchlight deleted
 * the file, all columns after `gone` are null. `at`: `uploaded_at` in ms. `measured`: whether Porchlight has tried to
 * measure the picture. `media_journals`: how much of each month's journal has been indexed.
 */
export const mediaTables: IndexPart = {
  name: 'media',
  tables: `
    CREATE TABLE media (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, month TEXT NOT NULL, gone INTEGER NOT NULL, at INTEGER,
      name TEXT, type TEXT, kind TEXT, bytes INTEGER, width INTEGER, height INTEGER, uploaded_at TEXT, copy_of TEXT,
      uploaded_by TEXT, measured INTEGER) STRICT;
    CREATE INDEX media_by_month ON media (month);
    CREATE INDEX media_by_time ON media (at, path) WHERE gone = 0;
    CREATE INDEX media_by_kind ON media (kind, at, path) WHERE gone = 0;
    CREATE INDEX media_by_type ON media (type, at, path) WHERE gone = 0;
    CREATE INDEX media_by_uploader ON media (uploaded_by, at, path) WHERE gone = 0;
    CREATE VIRTUAL TABLE media_words USING fts5 (words, tokenize = 'trigram case_sensitive 1');
    ${indexedFilesTable('media_journals')}`,
};

/** A file in the index. `isMeasured`: whether Porchlight has tried to measure the picture. */
export interface IndexedMedia {
  readonly file: MediaFile;
  readonly isMeasured: boolean;
}

/** The part of the index that lists media files. */
export interface MediaIndex {
  /** For each month's journal, how much of the journal has been indexed. */
  readonly journals: IndexedFiles;
  /** Adds a journal line to the index. The line replaces earlier lines for the same path. */
  put(line: MediaLine): void;
  /** Records whether a file is missing from the disk although Porchlight didn't delete it. */
  setMissing(path: string, isMissing: boolean): void;
  /** Returns the file at a path, or undefined if the file was deleted or never existed. */
  get(path: string): IndexedMedia | undefined;
  /** Returns whether a file once existed and was deleted, by Porchlight or manually. */
  isGone(path: string): boolean;
  /** Returns the state of each indexed file of a month, by file name. `missing`: deleted, but not by Porchlight. */
  ofMonth(month: string): Map<string, 'there' | 'missing' | 'deleted'>;
  /** Removes up to `most` files of a month from the index. Returns false if the index had no files of that month. */
  forget(month: string, most: number): boolean;
  /**
   * Returns a page of files; see MediaStore.list.
   * @throws PorchlightError `invalid_request` for an invalid cursor.
   */
  list(options: Parameters<MediaStore['list']>[0]): MediaPage;
}

/** Creates the functions that read and change media files in the index. */
export function mediaIndex(index: IndexDatabase): MediaIndex {
  function clear(ids: readonly number[]): void {
    for (const id of ids) {
      index.run('DELETE FROM media_words WHERE rowid = ?', id);
      index.run('DELETE FROM media WHERE id = ?', id);
    }
  }

  return {
    journals: indexedFiles(index, 'media_journals'),

    put(line) {
      index.versions.changed('media');
      const { path } = line;
      const month = mediaPlace(path)?.month ?? '';
      index.together(() => {
        clear(index.rows(idOf, 'SELECT id FROM media WHERE path = ?', path));
        if (!isFileLine(line)) {
          index.run('INSERT INTO media (path, month, gone) VALUES (?, ?, 1)', path, month);
          return;
        }
        const { name, type, kind, bytes, width, height, uploadedAt, copyOf, uploadedBy, measured } = line;
        const id = index.run(
          'INSERT INTO media VALUES (NULL, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ...[path, month, Date.parse(uploadedAt), name, type, kind, bytes, width, height, uploadedAt],
          ...[copyOf, uploadedBy ?? null, measured === false ? 0 : 1],
        );
        index.run('INSERT INTO media_words (rowid, words) VALUES (?, ?)', id, searchable(name));
      });
    },

    setMissing(path, isMissing) {
      index.versions.changed('media');
      index.run('UPDATE media SET gone = ? WHERE path = ? AND name IS NOT NULL', isMissing ? 1 : 0, path);
    },

    get: (path) => index.rows(mediaOfRow, 'SELECT * FROM media WHERE path = ? AND gone = 0', path)[0],
    isGone: (path) => index.rows(idOf, 'SELECT id FROM media WHERE path = ? AND gone = 1', path).length > 0,

    ofMonth: (month) =>
      new Map(
        index.rows(
          ({ path, gone, name }) => [
            String(path).slice(mediaPath({ month, file: '' }).length),
            gone === 0 ? 'there' : name === null ? 'deleted' : 'missing',
          ],
          'SELECT path, gone, name FROM media WHERE month = ?',
          month,
        ),
      ),

    forget(month, most) {
      index.versions.changed('media');
      return index.together(() => {
        const ids = index.rows(idOf, 'SELECT id FROM media WHERE month = ? LIMIT ?', month, most);
        clear(ids);
        return ids.length > 0;
      });
    },

    list({ limit, offset = 0, cursor, filter = {} }) {
      const { conditions, cells } = conditionsOf(filter);
      if (cursor !== undefined) {
        conditions.push('(at, path) < (?, ?)');
        cells.push(...stepOf(cursor));
      }
      const sql = `SELECT * FROM media WHERE ${conditions.join(' AND ')} ORDER BY at DESC, path DESC LIMIT ? OFFSET ?`;
      // One extra file shows whether there is another page.
      const found = index.rows(mediaOfRow, sql, ...cells, limit + 1, offset);
      const items = found.slice(0, limit).map(({ file }) => file);
      const last = items.at(-1);
      return { items, ...(found.length > limit && last && { nextCursor: cursorOf(last) }) };
    },
  };
}

const idOf = ({ id }: Row) => Number(id);

function mediaOfRow(row: Row): IndexedMedia {
  const { path, name, type, kind, bytes, width, height, copy_of: copyOf, uploaded_by: uploadedBy } = row;
  return {
    file: {
      ...{ path: String(path), name: String(name), type: String(type) },
      kind: kind as FileLine['kind'], // the index contains only valid lines
      bytes: Number(bytes),
      width: width === null ? null : Number(width),
      height: height === null ? null : Number(height),
      uploadedAt: String(row['uploaded_at']),
      copyOf: copyOf === null ? null : String(copyOf),
      ...(uploadedBy !== null && { uploadedBy: String(uploadedBy) }),
    },
    isMeasured: row['measured'] === 1,
  };
}

function conditionsOf({ kind, type, text, uploadedBy }: MediaFilter) {
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
  if (text !== undefined && text !== '') {
    const found = containing('media_words', text.normalize('NFC'));
    where(`id IN (${found.sql})`, found.cell);
  }
  return { conditions, cells };
}

/** Returns a cursor. It contains a position in the sort order, so it stays valid while files are added and deleted. */
const cursorOf = ({ uploadedAt, path }: MediaFile) =>
  Buffer.from(`${Date.parse(uploadedAt)} ${path}`).toString('base64url');

/** Returns the time (ms) and the path that a cursor contains. */
function stepOf(cursor: string): [at: number, path: string] {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, at, path] = /^(-?\d{1,16}) (\/media\/\d{4}\/\d{2}\/[\w.-]{1,200})$/.exec(text) ?? [];
  if (at !== undefined && path !== undefined) return [Number(at), path];
  throw new PorchlightError(
    'invalid_request',
    'This cursor is not valid. Load the list again from its start.',
  );
}
