import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import type { ImportCounts, ImportRun } from '../../contract/mention-import.ts';
import { Id, Moment, closed } from '../../contract/shapes.ts';
import { openDocument, type Document } from '../../storage/document.ts';
import type { DurableFileOptions } from '../../storage/durable-file.ts';

const Ids = Type.Array(Id);
const StoredRun = closed({
  id: Id,
  at: Moment,
  imported: Type.Integer(),
  total: Type.Integer(),
  /** The IDs of mentions that the run changed. */
  updated: Ids,
  /** The IDs of mentions that were removed by the run, or later with the owner's consent. */
  removed: Ids,
  /** The IDs of mentions that the aggregator no longer lists and that await the owner's decision. */
  missing: Ids,
});
export type StoredRun = Static<typeof StoredRun>;

/** `import-runs.json`: the results of the most recent imports, oldest first. */
const ImportRuns = closed({ runs: Type.Array(StoredRun) });
type ImportRuns = Static<typeof ImportRuns>;
export const importRunsFormat = { schema: ImportRuns, format: 1, initial: { runs: [] } };

/** The number of runs to keep. The number is small, because each stored run may list every mention. */
const mostRuns = 5;

export interface ImportRunsOptions {
  /** The folder of `import-runs.json`. */
  readonly dir: string;
  readonly onRecovered?: DurableFileOptions<ImportRuns>['onRecovered'];
}

/** The record of the last imports, stored on disk. */
export interface ImportRunList {
  last(): StoredRun | undefined;
  find(id: string): StoredRun | undefined;
  /** Adds a run, or replaces the stored run with the same id. */
  keep(run: StoredRun): Promise<void>;
}

/**
 * Opens `import-runs.json`. Open it only once per process.
 * @throws PorchlightError as openDocument does.
 */
export async function openImportRuns({ dir, onRecovered }: ImportRunsOptions): Promise<ImportRunList> {
  const document: Document<ImportRuns> = await openDocument({
    file: join(dir, 'import-runs.json'),
    ...importRunsFormat,
    onRecovered,
  });
  const find = (id: string) => document.data.runs.find((run) => run.id === id);
  return {
    last: () => document.data.runs.at(-1),
    find,
    keep: (run) =>
      document.update((draft) => {
        const place = draft.runs.findIndex(({ id }) => id === run.id);
        if (place === -1) draft.runs = [...draft.runs, run].slice(-mostRuns);
        else draft.runs[place] = run;
      }),
  };
}

/** Returns the record of a run that is just starting. `now`: milliseconds since 1970. */
export function newRun(now: number): StoredRun {
  const at = new Date(now).toISOString();
  return { id: randomUUID(), at, imported: 0, total: 0, updated: [], removed: [], missing: [] };
}

/** Returns whether a run changed anything or found mentions that the aggregator no longer lists. */
export function isNotable({ imported, updated, removed, missing }: StoredRun): boolean {
  return imported + updated.length + removed.length + missing.length > 0;
}

/** Returns a run as the window shows it. */
export function importSummary({ updated, removed, missing, ...run }: StoredRun): ImportRun {
  return { ...run, updated: updated.length, removed: removed.length, wouldRemove: missing.length };
}

/**
 * Returns a run's id, and how many mentions are missing at webmention.io and await the owner's decision. Returns an
 * empty object if the run removed no mentions and found none missing.
 */
export function removalsOf({ id, removed, missing }: StoredRun): Pick<ImportCounts, 'id' | 'wouldRemove'> {
  if (removed.length + missing.length === 0) return {};
  return { id, ...(missing.length > 0 && { wouldRemove: missing.length }) };
}
