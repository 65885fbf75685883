import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { closed, Moment } from '../../contract/shapes.ts';
import { openDocument, type Document } from '../../storage/document.ts';
import type { DurableFileOptions } from '../../storage/durable-file.ts';

const Count = Type.Integer({ minimum: 0 });

/**
 * The state that an import saves for the next import. If the state is lost, the next import reads all mentions again.
 */
const ImportState = closed({
  /** A hash of the aggregator, account and domain that this state belongs to. Contains no secret. */
  origin: Type.Optional(Type.String()),
  /** The position at which to resume a full run after an interruption. A full run reads all mentions. */
  broken: Type.Optional(closed({ page: Count, perPage: Type.Integer({ minimum: 1 }), startedAt: Moment })),
  /** All changes up to this time were imported. Later changes may still be missing. */
  newestVerified: Type.Optional(Moment),
  highestId: Type.Optional(Count),
  lastRun: Type.Optional(Moment),
  lastFullRun: Type.Optional(Moment),
});
export type ImportState = Static<typeof ImportState>;
export const importStateFormat = { schema: ImportState, format: 1, initial: {} };

export interface ImportStateOptions {
  /** The folder of `import.json`. */
  readonly dir: string;
  readonly onRecovered?: DurableFileOptions<ImportState>['onRecovered'];
}

/**
 * Opens `import.json`.
 * @throws PorchlightError as openDocument does.
 */
export function openImportState({ dir, onRecovered }: ImportStateOptions): Promise<Document<ImportState>> {
  const file = join(dir, 'import.json');
  return openDocument({ file, ...importStateFormat, onRecovered });
}
