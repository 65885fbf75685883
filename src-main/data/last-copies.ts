import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import { LastCopy } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import { closed, orNull } from '../contract/shapes.ts';
import type { Log } from '../platform/log.ts';
import { lastCopiesName } from '../storage/kept-paths.ts';
import { openDocument } from '../storage/document.ts';
import type { Recovery } from '../storage/recovery.ts';

const LastCopies = closed({ backup: orNull(LastCopy), export: orNull(LastCopy) });
type LastCopies = Static<typeof LastCopies>;

export type LastCopyNotes = Awaited<ReturnType<typeof openLastCopies>>;

export const lastCopiesFormat = { schema: LastCopies, format: 1, initial: { backup: null, export: null } };

/**
 * Opens the record of the newest backup and the newest export, so that the owner can find them again.
 * @throws the same errors as `openDocument`.
 */
export async function openLastCopies({
  dataDir,
  onRecovered,
  log,
}: {
  dataDir: string;
  onRecovered: (recovery: Recovery) => void | Promise<void>;
  log: Log;
}) {
  const document = await openDocument({
    file: join(dataDir, lastCopiesName),
    ...lastCopiesFormat,
    onRecovered,
  });
  return {
    get last(): Readonly<LastCopies> {
      return document.data;
    },
    /**
     * Records a new backup or export. If recording fails, only logs the error, because the backup or export itself
     * succeeded.
     */
    async note(kind: keyof LastCopies, copy: Omit<LastCopy, 'bytes'>): Promise<void> {
      try {
        const written = await stat(copy.path);
        const bytes = written.isFile() ? written.size : copy.counts.bytes;
        await document.update((copies) => void (copies[kind] = { ...copy, bytes }));
      } catch (error) {
        log.warn({ err: error }, 'the note about a copy was not saved');
      }
    },
  };
}

/**
 * Shows a file or folder in the file manager.
 * @throws PorchlightError `not_on_desktop` (409) in headless mode, `not_found` (404) if there is nothing at `path`.
 */
export async function showInFolder(
  path: string | undefined,
  desktop: { showInFolder(path: string): void } | undefined,
): Promise<Record<string, never>> {
  if (desktop === undefined)
    throw new PorchlightError(
      'not_on_desktop',
      'Porchlight runs without a desktop. Copy the path instead.',
      409,
    );
  if (path === undefined || !(await stat(path).then(Boolean, () => false)))
    throw new PorchlightError(
      'not_found',
      'The file is no longer there. It was moved or deleted, or its disk isn’t connected.',
      404,
    );
  desktop.showInFolder(path);
  return {};
}
