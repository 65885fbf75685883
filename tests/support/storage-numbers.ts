import { Type } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';
import { asChecked, recordTable } from '../../src-main/storage/records/record-table.ts';

/** What the storage writer's documents hold: numbers, each one higher than the one before. */
export const Numbers = closed({ values: Type.Array(Type.Integer()) });
export const documentNames = ['a', 'b'] as const;

/** The rows of the storage writer's database. */
export const notesTable = recordTable({
  name: 'notes',
  row: closed({ id: Type.String(), at: Type.String() }),
  create: 'CREATE TABLE IF NOT EXISTS notes (id TEXT NOT NULL, at TEXT NOT NULL) STRICT',
  format: 1,
  cleaned: asChecked,
});
