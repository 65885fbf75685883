import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { withClosedRecords } from './closed-records.ts';
import { columnsOf, isSoundRow, sealedSecret, type RecordTable } from './record-table.ts';
import type { Records } from './records.ts';

/** The secrets in rows, by table and rowid. A backup has them only in its encrypted part. */
export const RowSecrets = Type.Record(
  Type.String({ pattern: '^[a-z_]{1,60}$' }),
  Type.Record(Type.String({ pattern: '^\\d{1,15}$' }), Type.String({ minLength: 1, maxLength: 8192 })),
);
export type RowSecrets = Static<typeof RowSecrets>;

const rowsAtOnce = 500;

/** Returns the secrets in all rows. */
export async function secretsInRows(
  records: Pick<Records, 'rows'>,
  tables: readonly RecordTable[],
): Promise<RowSecrets> {
  const all: RowSecrets = {};
  for (const { name, secretColumn } of tables) {
    if (secretColumn === undefined) continue;
    const found: [string, string][] = [];
    for (let after = 0; ;) {
      const some = records.rows(
        ({ place, secret }): [string, string] => [String(place), String(secret)],
        `SELECT rowid AS place, ${secretColumn} AS secret FROM ${name}
          WHERE rowid > ? AND ${secretColumn} IS NOT NULL ORDER BY rowid LIMIT ${rowsAtOnce}`,
        after,
      );
      found.push(...some);
      const last = some.at(-1);
      if (last === undefined) break;
      after = Number(last[0]);
      await nextTurn();
    }
    all[name] = Object.fromEntries(found);
  }
  return all;
}

/**
 * Puts secrets into the rows of a folder that was unpacked from a backup, and deletes the rows whose secrets are
 * missing or unsound: without its secret, a row would say something else. Returns the number of deleted rows.
 */
export async function restoreRowSecrets(
  dir: string,
  tables: readonly RecordTable[],
  secrets: RowSecrets,
): Promise<number> {
  return withClosedRecords(dir, tables, (database) => {
    let deleted = 0;
    for (const table of tables) {
      const { name, secretColumn } = table;
      if (secretColumn === undefined) continue;
      const isSealed = `${secretColumn} = '${sealedSecret}'`;
      const sealed = database.prepare(
        `SELECT ${columnsOf(table).join(', ')} FROM ${name} WHERE rowid = ? AND ${isSealed}`,
      );
      const put = database.prepare(`UPDATE ${name} SET ${secretColumn} = ? WHERE rowid = ?`);
      for (const [place, secret] of Object.entries(secrets[name] ?? {})) {
        const row = sealed.get(Number(place));
        if (row && isSoundRow(table, { ...row, [secretColumn]: secret })) put.run(secret, Number(place));
      }
      deleted += Number(database.prepare(`DELETE FROM ${name} WHERE ${isSealed}`).run().changes);
    }
    return deleted;
  });
}
