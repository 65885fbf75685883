import path from 'node:path';
import type { TObject } from 'typebox';
import { openDocument, type DocumentOptions } from './document.ts';
import type { Recovery } from './recovery.ts';

/**
 * Returns functions that open documents at the root of a data folder. `onRecovered` is called for each document that
 * had to be recovered.
 */
export function documentsIn(dataDir: string, onRecovered?: (recovery: Recovery) => void | Promise<void>) {
  return {
    fileOf: (name: string) => path.join(dataDir, name),
    open: <S extends TObject>(
      name: string,
      format: Pick<DocumentOptions<S>, 'schema' | 'format' | 'initial' | 'migrations'>,
    ) => openDocument<S>({ ...format, file: path.join(dataDir, name), onRecovered }),
  };
}

export type DataDocuments = ReturnType<typeof documentsIn>;
