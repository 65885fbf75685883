import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { nodeOperations } from './file-operations.ts';
import { textOf } from './journal.ts';
import { writeFailure } from './storage-error.ts';
import { changing } from './write-pause.ts';

/** A journal (see journal.ts) that is no copy of anything: what it acknowledges is on the disk. */
export interface DurableJournal {
  /** Adds lines, in one write. @throws PorchlightError `storage_full`, `storage_unwritable`; then they are not there. */
  append(lines: readonly unknown[]): Promise<void>;
  /** Replaces all lines. */
  rewrite(lines: readonly unknown[]): Promise<void>;
}

/** Writes to the journal in `file`; only `rewrite` makes its folder. `whole`: false where its last line may be cut off. */
export function durableJournal(file: string, { whole }: { whole: boolean }): DurableJournal {
  const turn = oneAtATime();
  let clean = whole;

  async function append(text: string): Promise<void> {
    const handle = await open(file, 'a', 0o600);
    try {
      const { size } = await handle.stat();
      try {
        // A line break ends what a failed write left, so that it spoils no line but its own.
        await handle.appendFile(clean ? text : `\n${text}`);
        await handle.sync();
        if (size === 0) await nodeOperations.syncFolder(dirname(file));
        clean = true;
      } catch (error) {
        clean = await handle.truncate(size).then(
          () => clean,
          () => false,
        );
        throw error;
      }
    } finally {
      await handle.close();
    }
  }

  async function rewrite(lines: readonly unknown[]): Promise<void> {
    await nodeOperations.makeFolder(dirname(file));
    await nodeOperations.write(`${file}.tmp`, lines.map(textOf).join(''));
    await nodeOperations.rename(`${file}.tmp`, file);
    clean = true;
    await nodeOperations.syncFolder(dirname(file));
  }

  const told = (work: () => Promise<void>) =>
    turn(async () => {
      try {
        await work();
      } catch (error) {
        throw writeFailure(file, error);
      }
    });

  return {
    append: (lines) => told(() => changing(() => append(lines.map(textOf).join('')))),
    rewrite: (lines) => told(() => rewrite(lines)),
  };
}
