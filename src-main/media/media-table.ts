import { Type, type Static } from 'typebox';
import { MediaKind } from '../contract/media.ts';
import { closed, orNull } from '../contract/shapes.ts';
import { recordTable } from '../storage/records/record-table.ts';
import { mediaPlace } from './media-name.ts';

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
  // No upload gets the path of a deleted file, so a deletion is final.
  merge: (older, damaged) => (older?.gone === presence.deleted ? older : (damaged ?? older)),
});

export type MediaRow = Static<typeof mediaTable.row>;
