import type { Handlers } from '../contract/contract.ts';
import type { Common } from '../http/common.ts';
import { createImportRecords } from './import-records.ts';
import { ImportTasks } from './import-tasks.ts';
import { importHandlers, type ImportHandlersDeps } from './owner.ts';

type ImportingDeps = Omit<ImportHandlersDeps, 'imports' | 'now'> & Pick<Common, 'records' | 'hub' | 'clock'>;

/** Opens the part of the service that imports posts from archives. Only one import or undo runs at a time. */
export function openImporting(deps: ImportingDeps) {
  const { records, hub, clock } = deps;
  const tasks = new ImportTasks(hub, clock);
  const imports = createImportRecords(records, clock);
  return {
    handlers: importHandlers({ ...deps, imports, now: clock }, tasks) satisfies Partial<Handlers>,
    stop: () => tasks.stop(),
  };
}
