import type { Recovery } from '../../../storage/recovery.ts';
import { coalesced } from '../../../storage/coalesce.ts';
import { documentCodec } from '../../../storage/document-format.ts';
import { openStateJournal } from '../../../storage/state-journal.ts';
import { copyLineFormat, type CopyLine } from './copy-line.ts';

interface WaitingRemovalsOptions {
  /** The full path of `mailbox/journal.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => number;
}

const codec = documentCodec(copyLineFormat);

/**
 * Opens the journal of pending removals from the mailbox at Cloudflare. Removals that `add` has confirmed survive if
 * the process is killed.
 * @throws the same errors as `openStateJournal`
 */
export async function openWaitingRemovals(options: WaitingRemovalsOptions) {
  const disk = await openStateJournal<CopyLine>({ ...options, codec, current: waiting });
  const lines = new Map(disk.entries.map((line) => [line.address, line]));
  const unsaved = new Map<string, CopyLine>();

  const save = coalesced(async () => {
    const changed = [...unsaved.values()];
    unsaved.clear();
    try {
      await disk.save(changed, () => [...lines.values()]);
    } catch (error) {
      for (const line of changed) if (!unsaved.has(line.address)) unsaved.set(line.address, line);
      throw error;
    }
  });

  return {
    list: (): CopyLine[] => [...lines.values()],
    /** Returns whether a line is the newest line of its address. */
    isCurrent: (line: CopyLine): boolean => lines.get(line.address) === line,
    count: (): number => lines.size,

    /** Adds removals. They are not on disk before `save`. */
    add(added: readonly Pick<CopyLine, 'address' | 'shownOn'>[]): CopyLine[] {
      const since = new Date(options.now()).toISOString();
      const made = added.map(({ address, shownOn }): CopyLine => {
        const all = new Set([...shownOn, ...(lines.get(address)?.shownOn ?? [])]);
        return { address, shownOn: [...all], state: 'waiting', since };
      });
      for (const line of made) {
        lines.set(line.address, line);
        unsaved.set(line.address, line);
      }
      return made;
    },

    /**
     * Writes what isn't on disk yet. What can't be written is written by a later call.
     * @throws PorchlightError `storage_…`
     */
    save,

    /** Records that removals are done. Keeps removals that were added again in the meantime. */
    async done(settled: readonly CopyLine[]): Promise<void> {
      for (const line of settled) {
        if (lines.get(line.address) !== line) continue;
        lines.delete(line.address);
        unsaved.set(line.address, { ...line, state: 'done' });
      }
      await save();
    },

    close: () => disk.close(),
  };
}

/** For each address with a pending removal, returns its newest line. */
function waiting(lines: readonly CopyLine[]): Map<string, CopyLine> {
  const current = new Map<string, CopyLine>();
  for (const line of lines) {
    if (line.state === 'done') current.delete(line.address);
    else current.set(line.address, line);
  }
  return current;
}
