import path from 'node:path';
import type { Migration } from './document-format.ts';
import { openDocument } from './document.ts';
import { openMonthlyLog } from './monthly-log.ts';
import type { Recovery } from './recovery.ts';

/** The documents at the root of a data folder, each with its format number; what had to be recovered is told. */
export function documentsIn(dataDir: string, onRecovered?: (recovery: Recovery) => void) {
  return {
    open: <S extends Parameters<typeof openDocument>[0]['schema']>(
      name: string,
      schema: S,
      initial: Parameters<typeof openDocument<S>>[0]['initial'],
      { format, migrations }: { format: number; migrations?: Record<number, Migration> } = { format: 1 },
    ) =>
      openDocument<S>({
        file: path.join(dataDir, name),
        schema,
        format,
        ...(migrations && { migrations }),
        initial,
        onRecovered,
      }),
    log: <S extends Parameters<typeof openMonthlyLog>[0]['schema']>(name: string, schema: S) =>
      openMonthlyLog<S>({ dir: path.join(dataDir, name), schema, onRecovered, now: () => new Date() }),
  };
}

export type DataDocuments = ReturnType<typeof documentsIn>;
