import { PorchlightError } from '../../contract/error.ts';
import { isTakenBack, type Mention } from '../mention.ts';
import type { MentionStore } from '../mention-store.ts';
import { mayBeRemoved } from './compare.ts';
import type { CountedRun, ImportRunList } from './import-runs.ts';

export interface Removals {
  /**
   * Removes the mentions whose removal needed the owner's decision. Skips mentions that the owner has decided about
   * since the run. Returns the number of removed mentions.
   * @throws PorchlightError `not_found` (404) if the run is no longer stored.
   */
  apply(id: string): Promise<number>;
  /**
   * Restores the mentions that a run removed. This counts as the owner's decision, so the next import keeps them.
   * Returns the number of restored mentions.
   * @throws PorchlightError `not_found` (404) if the run is no longer stored.
   */
  undo(id: string): Promise<number>;
}

/** Creates the functions that apply or undo the removals of an import. */
export function createRemovals(
  store: Pick<MentionStore, 'get' | 'setStatus' | 'decideAll'>,
  list: ImportRunList,
): Removals {
  function mustBeStored(id: string): CountedRun {
    const run = list.find(id);
    if (!run)
      throw new PorchlightError('not_found', 'Porchlight no longer has the details of this import.', 404);
    return run;
  }

  async function those(
    ids: AsyncIterable<string>,
    isWanted: (mention: Mention) => boolean,
  ): Promise<string[]> {
    const wanted: string[] = [];
    for await (const id of ids) {
      const mention = await store.get(id);
      if (mention && isWanted(mention)) wanted.push(id);
    }
    return wanted;
  }

  return {
    async apply(id) {
      const run = mustBeStored(id);
      const ids = await those(list.ids(id, 'missing'), mayBeRemoved);
      // The list of removals is saved before the first removal, so that the removals can be undone even after a crash.
      await list.keep({ ...run, updated: [], removed: ids, missing: [] });
      await list.clear(id, 'missing');
      let removed = 0;
      for (const one of ids)
        if ((await store.setStatus(one, 'removed', 'aggregator')).status === 'removed') removed += 1;
      return removed;
    },

    async undo(id) {
      mustBeStored(id);
      const ids = await those(
        list.ids(id, 'removed'),
        (mention) => mention.status === 'removed' && !isTakenBack(mention),
      );
      const { changed } = await store.decideAll(ids, 'restored');
      await list.clear(id, 'removed');
      return changed.length;
    },
  };
}
