import type { Log } from '../platform/log.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { reconcileLines } from '../storage/index/reconcile-lines.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { MentionIndex } from './mention-index.ts';
import { inDoubt, mentionLineText, mentionIn, mentionFile, mentionMonths } from './mention-lines.ts';

interface Reconciling {
  readonly dir: string;
  readonly rows: MentionIndex;
  readonly index: Pick<IndexDatabase, 'together'>;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
}

/**
 * Updates the index from the files. If lines have only been added to a file, reads only those lines; otherwise, reads
 * the whole file. Returns the months that can't be read, each with its error. Their mentions stay in the index
 * unchanged.
 */
export async function reconcileMentions(work: Reconciling): Promise<Map<string, unknown>> {
  const { dir, rows, log, signal } = work;
  const unusable = new Map<string, unknown>();
  const months = await mentionMonths(dir);
  for (const month of [...new Set([...rows.files.names(), ...months])].sort()) {
    signal.throwIfAborted();
    try {
      await reconcileMonth(month, work);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, month }, 'the mentions of a month could not be read');
      unusable.set(month, error);
    }
  }
  return unusable;
}

async function reconcileMonth(month: string, work: Reconciling): Promise<void> {
  const { dir, rows } = work;
  const file = mentionFile(dir, month);
  /** The ids of the mentions with damaged lines. */
  const inQuestion = new Set<string>();
  await reconcileLines({
    ...work,
    ...{ file, name: month, files: rows.files },
    forget: (most) => rows.forget(month, most),
    put(text) {
      const { mention, isDamaged, id = '' } = mentionIn(text, file);
      if (mention) rows.put(month, mention);
      const before = isDamaged ? rows.get(id) : undefined;
      if (before) inQuestion.add(before.id);
      if (before && !mention) rows.put(month, inDoubt(before));
      return !isDamaged;
    },
    // These lines replace the damaged lines. Each contains a mention as it is in the index.
    mended: () =>
      [...inQuestion]
        .map((id) => rows.get(id))
        .filter((mention) => mention !== undefined)
        .map(mentionLineText)
        .join(''),
  });
}
