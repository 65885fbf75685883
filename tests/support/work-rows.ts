import type { Records } from '../../src-main/storage/records/records.ts';
import { rowsIn } from '../../src-main/storage/records/closed-records.ts';
import { workTable } from '../../src-main/storage/work/work-rows.ts';

/** Returns what waits in the queue of work, in the order in which it was added. */
export const workIn = (records: Pick<Records, 'rows'>) =>
  records.rows(
    ({ due, tries, state, payload }) => ({
      due: Number(due),
      tries: Number(tries),
      state: String(state),
      payload: JSON.parse(String(payload)) as Record<string, unknown>,
    }),
    'SELECT * FROM work ORDER BY seq',
  );

/** Returns what waits in a data folder, also while a server uses it. `kind`: of this kind only. */
export const workOf = async (dataDir: string, kind: string) =>
  (await rowsIn(dataDir, workTable)).filter((one) => one.kind === kind);
