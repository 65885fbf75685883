import { blockedPeople, blockedSites } from '../../src-main/mentions/blocked.ts';
import { mentionTable } from '../../src-main/mentions/mention-table.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { openWork, type WorkQueue } from '../../src-main/storage/work/work.ts';
import type { WorkOptions } from '../../src-main/storage/work/outcomes.ts';
import { workTable } from '../../src-main/storage/work/work-rows.ts';
import { receivedTable } from '../../src-main/mentions/receiving/received-mentions.ts';
import { memoryRecords } from './memory-records.ts';

/** The tables of mentions: what was received, what waits to be checked, what was kept and what is blocked. */
export const mentionTables = [
  mentionTable,
  receivedTable,
  workTable,
  blockedPeople.table,
  blockedSites.table,
];

/** A queue of work whose database is only in memory. It isn't started. `fill`: writes what was there before. */
export async function memoryWork(
  options: Partial<WorkOptions> = {},
  fill: (records: ReturnType<typeof memoryRecords>) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ records: ReturnType<typeof memoryRecords>; work: WorkQueue }> {
  const records = memoryRecords(mentionTables);
  await fill(records);
  const work = await openWork({ records, now: Date.now, online: () => true, log: silentLog, ...options });
  return { records, work };
}
