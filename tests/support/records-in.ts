import { mkdir } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { silentLog } from '../../src-main/platform/log.ts';
import { recordTables } from '../../src-main/app/tables.ts';
import { openRecords, type Records } from '../../src-main/storage/records/records.ts';
import { temporaryFolder } from './storage-folder.ts';

/** Opens the database of a folder, which is a new one by default. It is closed when the test ends. */
export async function recordsIn(dir?: string): Promise<Records> {
  const folder = dir ?? (await temporaryFolder());
  await mkdir(folder, { recursive: true });
  const records = await openRecords({ dir: folder, tables: recordTables, log: silentLog });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= records.close());
  onTestFinished(close);
  return { ...records, close };
}
