import { Type } from 'typebox';
import { closed } from '../../contract/shapes.ts';
import { recordTable } from '../records/record-table.ts';

/** The longest text in `words`. */
export const mostWords = 500;

/**
 * What Porchlight still has to do. `key`: identifies the work among those of its kind. `party`: who causes the work, such
 * as a site. `due`: the time of the next attempt, in ms since the epoch. `tries`: the failed attempts that count. `early`:
 * the failed attempts before the work was due, since the last one that was due. `state`: `waiting`; `planned` if `due` is
 * the time that somebody chose; `unreadable`; or a word of the kind. Unless the kind says that such work is tried too, it
 * stays until it is added again.
 * `payload`: JSON, which the kind checks. `words`: why the last attempt failed. `seq` grows with each addition.
 */
export const workTable = recordTable({
  name: 'work',
  row: closed({
    kind: Type.String(),
    key: Type.String(),
    party: Type.String(),
    host: Type.String(),
    due: Type.Integer(),
    tries: Type.Integer({ minimum: 0 }),
    early: Type.Integer({ minimum: 0 }),
    state: Type.String(),
    payload: Type.String(),
    words: Type.Union([Type.String(), Type.Null()]),
  }),
  create: `CREATE TABLE IF NOT EXISTS work (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT NOT NULL, party TEXT NOT NULL,
      host TEXT NOT NULL, due INTEGER NOT NULL, tries INTEGER NOT NULL, early INTEGER NOT NULL,
      state TEXT NOT NULL, payload TEXT NOT NULL, words TEXT, UNIQUE (kind, key)
    ) STRICT`,
  format: 1,
  belongsHere: true,
});
