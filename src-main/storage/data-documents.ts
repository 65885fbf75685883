import path from 'node:path';
import type { TObject } from 'typebox';
import type { Codec } from './document-format.ts';
import { openDocument, type DocumentOptions } from './document.ts';
import type { LogEntry } from './log-month.ts';
import { openMonthlyLog } from './monthly-log.ts';
import type { Recovery } from './recovery.ts';

/**
 * Returns functions that open documents at the root of a data folder. `onRecovered` is called for each document that
 * had to be recovered.
 */
export function documentsIn(dataDir: string, onRecovered?: (recovery: Recovery) => void) {
  return {
    fileOf: (name: string) => path.join(dataDir, name),
    open: <S extends TObject>(
      name: string,
      format: Pick<DocumentOptions<S>, 'schema' | 'format' | 'initial' | 'migrations'>,
    ) => openDocument<S>({ ...format, file: path.join(dataDir, name), onRecovered }),
    log: <T extends LogEntry>(name: string, codec: Codec<T>) =>
      openMonthlyLog({ dir: path.join(dataDir, name), codec, onRecovered, now: () => new Date() }),
  };
}

export type DataDocuments = ReturnType<typeof documentsIn>;
