import { jsonIn } from '../storage/json-value.ts';
import { recordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { isValid } from '../storage/schema-check.ts';
import { closed, Id } from '../contract/shapes.ts';
import { Type } from 'typebox';
import { Grant, type GrantList } from './grant.ts';

export const grantTable = recordTable({
  name: 'grants',
  /** `body`: the JSON of a Grant. */
  row: closed({ id: Id, body: Type.String() }),
  isSound: ({ id, body }) => grantIn(body)?.id === id,
  create: 'CREATE TABLE IF NOT EXISTS grants (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT',
  format: 1,
  // A grant that only the copy has may have been revoked since. Its app has to sign in again.
  merge(older, damaged) {
    const [before, now] = [older && grantIn(older.body), damaged && grantIn(damaged.body)];
    if (damaged === undefined || now === undefined) return undefined;
    const revokedAt = now.revokedAt ?? before?.revokedAt ?? null;
    return revokedAt === now.revokedAt
      ? damaged
      : { ...damaged, body: JSON.stringify({ ...now, revokedAt }) };
  },
});

export const allGrants = 'SELECT id, body FROM grants ORDER BY rowid';
export const putGrant =
  'INSERT INTO grants (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body';

/** Returns the grant in a row's JSON; undefined if it is none. */
export function grantIn(body: unknown): Grant | undefined {
  const grant = jsonIn(String(body));
  return isValid(Grant, grant) ? grant : undefined;
}

export type GrantRows = ReturnType<typeof openGrantRows>;

/** Opens the table of grants. All of them are kept in memory, because every request with a token needs one. */
export function openGrantRows(records: Pick<Records, 'rows' | 'write' | 'openings'>) {
  let seen: { readonly list: Readonly<GrantList>; readonly opening: number } | undefined;

  return {
    /**
     * All grants, in the order in which they were made.
     * @throws the errors of `Records.rows`
     */
    get data(): Readonly<GrantList> {
      if (seen?.opening !== records.openings) {
        const grants = records.rows(({ body }) => grantIn(body) ?? [], allGrants).flat();
        seen = { list: { grants }, opening: records.openings };
      }
      return seen.list;
    },

    /**
     * Changes the grants. Resolves with the result of `change` once they are on disk.
     * @throws the errors of `change` and of `Records.write`
     */
    async update<R>(change: (data: GrantList) => R): Promise<R> {
      try {
        return await records.write(({ rows, run }) => {
          const before = new Map(rows(allGrants).map(({ id, body }) => [String(id), String(body)]));
          const draft = { grants: [...before.values()].flatMap((body) => grantIn(body) ?? []) };
          const result = change(draft);
          for (const grant of draft.grants) {
            const body = JSON.stringify(grant);
            if (before.get(grant.id) !== body) run(putGrant, grant.id, body);
            before.delete(grant.id);
          }
          for (const id of before.keys()) run('DELETE FROM grants WHERE id = ?', id);
          seen = undefined;
          return result;
        });
      } finally {
        seen = undefined;
      }
    },
  };
}
