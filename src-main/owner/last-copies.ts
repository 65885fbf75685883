import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import type { Result } from '../contract/contract.ts';
import { LastCopy, type ShownFolder } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import type { Log } from '../platform/log.ts';
import { lastCopiesName } from '../storage/backup/kept-paths.ts';
import { openDocument } from '../storage/document.ts';
import type { Recovery } from '../storage/recovery.ts';

const LastCopies = closed({
  backup: Type.Union([LastCopy, Type.Null()]),
  export: Type.Union([LastCopy, Type.Null()]),
});
type LastCopies = Static<typeof LastCopies>;

/**
 * Remembers the newest backup and the newest export, so that the owner can see how old they are and find them again.
 */
export interface LastCopyNotes {
  readonly last: Readonly<LastCopies>;
  /** Records a new backup or export. Never fails: the copy exists even if the disk has no room for a note about it. */
  note(kind: keyof LastCopies, copy: Omit<LastCopy, 'bytes'>): Promise<void>;
}

export const lastCopiesFormat = { schema: LastCopies, format: 1, initial: { backup: null, export: null } };

/**
 * Opens the notes in the data folder.
 * @throws the same errors as `openDocument`.
 */
export async function openLastCopies({
  dataDir,
  onRecovered,
  log,
}: {
  dataDir: string;
  onRecovered: (recovery: Recovery) => void;
  log: Log;
}): Promise<LastCopyNotes> {
  const document = await openDocument({
    file: join(dataDir, lastCopiesName),
    ...lastCopiesFormat,
    onRecovered,
  });
  return {
    get last() {
      return document.data;
    },
    async note(kind, copy) {
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

interface ShowDeps {
  readonly dataDir: string;
  readonly last: LastCopies;
  /** Opens the file manager at a path; absent without a desktop. */
  readonly show: ((path: string) => void) | undefined;
}

/**
 * Shows a backup, an export or the data folder in the file manager.
 * @throws PorchlightError `not_on_desktop` (409) without a desktop, `not_found` (404) if the file or folder no longer
 * exists.
 */
export async function showInFolder(
  { dataDir, last, show }: ShowDeps,
  what: ShownFolder,
): Promise<Result<'desktop.showInFolder'>> {
  if (show === undefined)
    throw new PorchlightError(
      'not_on_desktop',
      'Porchlight runs without a desktop. Copy the path instead.',
      409,
    );
  const path = what === 'data' ? dataDir : last[what]?.path;
  const isThere = path !== undefined && (await stat(path).then(Boolean, () => false));
  if (!isThere)
    throw new PorchlightError(
      'not_found',
      'The file is no longer there. It was moved or deleted, or its disk isn’t connected.',
      404,
    );
  show(path);
  return {};
}
