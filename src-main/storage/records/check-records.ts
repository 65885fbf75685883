import { join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { isThere } from '../presence.ts';
import { isWholeHere, wasUsed } from './open-sound.ts';
import type { RecordTable } from './record-table.ts';
import { recordsName, refuseNewer } from './records-file.ts';
import { eachRow } from './stored-rows.ts';

/**
 * Checks records.sqlite in a data folder, without changing it: the file itself, and each row. Returns the problems, as
 * messages for the owner.
 * @throws PorchlightError `storage_newer`
 */
export async function recordsProblems(dir: string, tables: readonly RecordTable[]): Promise<string[]> {
  const file = join(dir, recordsName);
  if (!(await isThere(file))) return (await wasUsed(file)) ? [`The database ${recordsName} is missing.`] : [];
  refuseNewer(file);
  const problems: string[] = [];
  try {
    if (!(await isWholeHere(file))) return [`The database ${recordsName} is damaged.`];
    for (const table of tables) {
      let broken = 0;
      const ended = await eachRow(
        dir,
        table,
        () => undefined,
        () => void (broken += 1),
      );
      if (broken > 0) problems.push(`${broken} of the rows of “${table.name}” can’t be read.`);
      if (ended === 'damaged') return [...problems, `The database ${recordsName} is damaged.`];
    }
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    problems.push(`The database ${recordsName} can’t be read (${String(error)}).`);
  }
  return problems;
}
