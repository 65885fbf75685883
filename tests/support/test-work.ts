import { onTestFinished } from 'vitest';
import { openWork, type WorkQueue } from '../../src-main/storage/work/work.ts';
import { workTable } from '../../src-main/storage/work/work-table.ts';
import type { Records } from '../../src-main/storage/records/records.ts';
import { rowsIn } from '../../src-main/storage/records/stored-rows.ts';
import { memoryRecords } from './memory-records.ts';

/** Opens the durable queue, which is in memory by default. It is stopped when the test ends. */
export async function openTestWork({
  records = memoryRecords([workTable]),
  now,
  log = { error: () => undefined, warn: () => undefined },
}: {
  readonly records?: Pick<Records, 'rows' | 'write' | 'openings'>;
  readonly now: () => number;
  readonly log?: Parameters<typeof openWork>[0]['log'];
}): Promise<WorkQueue> {
  const queue = await openWork({ records, now, online: () => true, log });
  onTestFinished(() => queue.stop());
  return queue;
}

/** What waits in the queue, in the order in which it was added. */
export const workIn = (records: Pick<Records, 'rows'>) =>
  records.rows(
    ({ kind, party, due, tries, state, payload }) => ({
      ...{ kind: String(kind), party: String(party), due: Number(due) },
      ...{ tries: Number(tries), state: String(state) },
      payload: JSON.parse(String(payload)) as Record<string, unknown>,
    }),
    'SELECT * FROM work ORDER BY seq',
  );

/** Returns what waits in a data folder, also while a server uses it. `kind`: of this kind only. */
export const workOf = async (dataDir: string, kind: string) =>
  (await rowsIn(dataDir, workTable)).filter((one) => one.kind === kind);
