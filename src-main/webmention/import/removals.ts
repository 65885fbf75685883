import { PorchlightError } from '../../contract/error.ts';
import { isTakenBack, type Mention } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import { mayBeRemoved } from './compare.ts';
import type { ImportRunList, Run } from './import-runs.ts';

export interface Removals {
  /**
   * Removes the mentions that a run left for the owner to decide about; answers how many. Mentions that the owner
   * decided about meanwhile stay.
   * @throws PorchlightError `not_found` (404) for a run that is not remembered.
   */
  apply(id: string): Promise<number>;
  /**
   * Brings back what a run removed, as the owner's decision, so that the next import leaves it; answers how many.
   * @throws PorchlightError `not_found` (404) for a run that is not remembered.
   */
  undo(id: string): Promise<number>;
}

/** Makes what the owner may do about the removals of an import. */
export function createRemovals(
  store: Pick<MentionStore, 'get' | 'setStatus' | 'decideAll'>,
  runs: () => Promise<ImportRunList>,
): Removals {
  async function found(id: string): Promise<{ run: Run; list: ImportRunList }> {
    const list = await runs();
    const run = list.find(id);
    if (!run)
      throw new PorchlightError('not_found', 'Porchlight no longer has the details of this import.', 404);
    return { run, list };
  }

  async function those(ids: readonly string[], isWanted: (mention: Mention) => boolean): Promise<string[]> {
    const wanted: string[] = [];
    for (const id of ids) {
      const mention = await store.get(id);
      if (mention && isWanted(mention)) wanted.push(id);
    }
    return wanted;
  }

  return {
    async apply(id) {
      const { run, list } = await found(id);
      const ids = await those(run.missing, mayBeRemoved);
      // Noted before the first is removed: after a crash in between, the removal can still be undone.
      await list.keep({ ...run, removed: [...run.removed, ...ids], missing: [] });
      for (const one of ids) await store.setStatus(one, 'removed', 'aggregator');
      return ids.length;
    },

    async undo(id) {
      const { run, list } = await found(id);
      const ids = await those(
        run.removed,
        (mention) => mention.status === 'removed' && !isTakenBack(mention),
      );
      const { changed } = await store.decideAll(ids, 'restored');
      await list.keep({ ...run, removed: [] });
      return changed.length;
    },
  };
}
