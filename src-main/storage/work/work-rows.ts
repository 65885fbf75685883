import { type Static, type TSchema, Type } from 'typebox';
import { closed } from '../../contract/shapes.ts';
import { jsonIn } from '../json-value.ts';
import type { Transaction } from '../records/group-commit.ts';
import { recordTable, type Row } from '../records/record-table.ts';
import type { Records } from '../records/records.ts';
import { isValid } from '../schema-check.ts';
import type { DefinedWork, KindRules, NewWork, Work, WorkEntry } from './work-kind.ts';

/** The longest text in `words`. */
const mostWords = 500;

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

const unreadableWords = 'This entry can’t be read, so nothing was done about it.';
const mostListed = 500;

/** What an attempt changes of the row of its work. */
interface RowChange<P> extends Pick<WorkEntry, 'due' | 'tries' | 'early' | 'state'> {
  /** The new payload; by default, it stays the same. */
  readonly payload?: P | undefined;
  readonly words: string | null;
}

/** Reads and writes the rows of a kind of work; see workTable. */
export function workRows<S extends TSchema>(
  kind: Pick<KindRules<S>, 'kind' | 'payload'>,
  records: Pick<Records, 'rows' | 'write'>,
) {
  type P = Static<S>;

  function decoded(text: string): P | undefined {
    const payload = jsonIn(text);
    return isValid(kind.payload, payload) ? payload : undefined;
  }

  function mustBeValid(payload: unknown): void {
    if (!isValid(kind.payload, payload)) throw new TypeError(`Work "${kind.kind}" has another payload.`);
  }

  function decodedRow(row: Row): Work<P>[] {
    const payload = decoded(String(row['payload']));
    if (payload === undefined) return [];
    const { seq, key, party, host, due, tries, early, state, words } = row;
    return [
      {
        seq: Number(seq),
        key: String(key),
        party: String(party),
        host: String(host),
        due: Number(due),
        tries: Number(tries),
        early: Number(early),
        state: String(state),
        payload,
        words: words === null ? undefined : String(words),
      },
    ];
  }

  function find(key: string, transaction?: Transaction): Work<P> | undefined {
    const sql = 'SELECT * FROM work WHERE kind = ? AND key = ?';
    if (transaction) return transaction.rows(sql, kind.kind, key).flatMap(decodedRow)[0];
    return records.rows(decodedRow, sql, kind.kind, key).flat()[0];
  }

  const list: DefinedWork<P>['list'] = ({ state = null, limit = mostListed } = {}) => {
    const sql = 'SELECT * FROM work WHERE kind = ? AND (? IS NULL OR state = ?) ORDER BY seq LIMIT ?';
    return records.rows(decodedRow, sql, kind.kind, state, state, limit).flat();
  };

  return {
    find,
    list,

    /** Returns the payload of work, undefined if it can't be read, and its words. Returns undefined without a row. */
    read: ({ seq }: WorkEntry): { payload: P | undefined; words: string | undefined } | undefined =>
      records.rows(
        ({ payload, words }) => ({
          payload: decoded(String(payload)),
          words: words === null ? undefined : String(words),
        }),
        'SELECT payload, words FROM work WHERE seq = ?',
        seq,
      )[0],

    /** Writes that work can't be read. */
    setAside: ({ seq }: WorkEntry): Promise<unknown> =>
      records.write(({ run }) =>
        run("UPDATE work SET state = 'unreadable', words = ? WHERE seq = ?", unreadableWords, seq),
      ),

    /** Adds work, in the place of work with the same key. `now`: in ms. Returns its entry. */
    insert({ rows }: Transaction, work: NewWork<P>, now: number): WorkEntry {
      const { key, party, host, payload, tries = 0, early = 0, state = 'waiting' } = work;
      mustBeValid(payload);
      const due = Math.round(work.due ?? now);
      const sql = `INSERT OR REPLACE INTO work (kind, key, party, host, due, tries, early, state, payload)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`;
      const [row] = rows(sql, kind.kind, key, party, host, due, tries, early, state, JSON.stringify(payload));
      return { seq: Number(row?.['seq']), key, party, host, due, tries, early, state };
    },

    /** Changes work after an attempt. Returns false if it was added again or cancelled in the meantime. */
    update({ run }: Transaction, { seq }: WorkEntry, change: RowChange<P>): boolean {
      const { due, tries, early, state, payload, words } = change;
      const sql =
        'UPDATE work SET due = ?, tries = ?, early = ?, state = ?, payload = ifnull(?, payload), words = ? WHERE seq = ?';
      const text = payload === undefined ? null : JSON.stringify(payload);
      return run(sql, due, tries, early, state, text, words?.slice(0, mostWords) ?? null, seq) > 0;
    },

    /** Changes the payload of work; see DefinedWork.changeIn. */
    changeIn: (transaction: Transaction, key: string, change: (payload: P) => P): void => {
      const known = find(key, transaction);
      if (known === undefined) return;
      const payload = change(known.payload);
      mustBeValid(payload);
      transaction.run('UPDATE work SET payload = ? WHERE seq = ?', JSON.stringify(payload), known.seq);
    },

    /** Removes work. Returns false if it was added again or cancelled in the meantime. */
    remove: ({ run }: Transaction, { seq }: WorkEntry): boolean =>
      run('DELETE FROM work WHERE seq = ?', seq) > 0,

    removeKey: ({ run }: Transaction, key: string): unknown =>
      run('DELETE FROM work WHERE kind = ? AND key = ?', kind.kind, key),
  };
}
