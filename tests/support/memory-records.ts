import { type Transaction } from '../../src-main/storage/records/group-commit.ts';
import { recordsFailure } from '../../src-main/storage/records/records-failure.ts';
import type { RecordTable, Row } from '../../src-main/storage/records/record-table.ts';
import { createTables } from '../../src-main/storage/records/records-file.ts';
import type { Records } from '../../src-main/storage/records/records.ts';
import { DatabaseSync } from '../../src-main/storage/sqlite.ts';

/** A database of records that is only in memory. Nothing is synced, and each change is a transaction of its own. */
export function memoryRecords(
  tables: readonly RecordTable[],
): Pick<Records, 'rows' | 'write' | 'whenSound' | 'openings' | 'settled'> {
  const database = new DatabaseSync(':memory:');
  createTables(database, tables);
  const statements: Pick<Transaction, 'rows' | 'run'> = {
    rows: (sql, ...cells) => database.prepare(sql).all(...cells) as Row[],
    run: (sql, ...cells) => Number(database.prepare(sql).run(...cells).changes),
  };
  return {
    rows: (read, sql, ...cells) => statements.rows(sql, ...cells).map(read),
    async write(change) {
      await Promise.resolve();
      database.exec('BEGIN');
      const after: (() => void)[] = [];
      try {
        const result = change({ ...statements, after: (done) => void after.push(done) });
        database.exec('COMMIT');
        for (const done of after) done();
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw recordsFailure('records.sqlite', error);
      }
    },
    whenSound: async (work) => work(),
    openings: 1,
    settled: () => Promise.resolve(),
  };
}
