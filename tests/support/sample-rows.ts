import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordTables } from '../../src-main/app/tables.ts';
import { withClosedRecords } from '../../src-main/storage/records/closed-records.ts';
import { cellsOf, insertInto, type Row } from '../../src-main/storage/records/record-table.ts';

const fixtures = join(import.meta.dirname, '../fixtures/formats');

/** Adds the row that its format is tested with to each table of a folder that no process uses. */
export async function addSampleRows(dir: string): Promise<void> {
  const rows = await Promise.all(
    recordTables.map(async ({ name }) => {
      const { format: _format, ...row } = JSON.parse(
        await readFile(join(fixtures, `${name}-row-1.json`), 'utf8'),
      ) as Row;
      return row;
    }),
  );
  await withClosedRecords(dir, recordTables, (database) => {
    for (const [index, table] of recordTables.entries())
      database.prepare(insertInto(table)).run(...cellsOf(table, rows[index] ?? {}));
  });
}
