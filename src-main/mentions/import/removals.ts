import { PorchlightError } from '../../contract/error.ts';
import type { MentionStore } from '../mention-store.ts';
import { isTakenBack, type Mention } from '../mention.ts';
import type { CountedRun, ImportRunList, Tally } from './import-runs.ts';
import { numberOf, readSinceImport } from './raw-mention.ts';

export type Removals = ReturnType<typeof createRemovals>;

/**
 * Creates the functions that apply or undo the removals of an import. They throw PorchlightError `not_found` (404) if the
 * run is no longer stored.
 */
export function createRemovals(
  store: Pick<MentionStore, 'get' | 'setStatus' | 'decideAll'>,
  list: ImportRunList,
) {
  function mustBeStored(id: string): CountedRun {
    const run = list.find(id);
    if (!run)
      throw new PorchlightError('not_found', 'Porchlight no longer has the details of this import.', 404);
    return run;
  }

  async function those(
    ids: AsyncIterable<string>,
    matches: (mention: Mention) => boolean,
  ): Promise<string[]> {
    const matching: string[] = [];
    for await (const id of ids) {
      const mention = await store.get(id);
      if (mention && matches(mention)) matching.push(id);
    }
    return matching;
  }

  return {
    /**
     * Removes the mentions whose removal needed the owner's decision. Skips mentions that the owner has decided about
     * since the run. Returns the number of removed mentions.
     */
    async apply(id: string): Promise<number> {
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

    /**
     * Restores the mentions that a run removed. This counts as the owner's decision, so the next import keeps them.
     * Returns the number of restored mentions.
     */
    async undo(id: string): Promise<number> {
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

export interface CompareDeps {
  readonly store: MentionStore;
  /** The counts of the current run. `seen` already contains the `wm-id` of every mention that the aggregator lists. */
  readonly tally: Tally;
  readonly domain: string | undefined;
  /** Called before the first removal, with the identifiers of all mentions that are about to be removed. */
  readonly removing: (ids: readonly string[]) => Promise<void>;
}

/**
 * Limits for the number of mentions that are missing from the aggregator's list, and for their share of all imported
 * mentions. If both limits are exceeded, the aggregator is probably at fault.
 */
const mostRemoved = 10;
const partRemoved = 0.1;

/**
 * Marks mentions as removed if the aggregator no longer lists them (WI-33). Keeps mentions that the owner has decided
 * about, and mentions whose source this server has read since the import. If many mentions are missing, or the list is
 * empty (for example, because the account was closed), removes nothing and leaves the decision to the owner.
 * `sameAccount`: whether an earlier full run of this account has finished. If not, the stored mentions may come from
 * another account, so only mentions of this account's sites can be removed.
 */
export async function removeMissing(deps: CompareDeps, sameAccount: boolean): Promise<void> {
  const { store, tally } = deps;
  const { missing, listed } = await compared(deps, sameAccount);
  const isEmpty = tally.seen.size === 0;
  const isMuch = missing.length > mostRemoved && missing.length > partRemoved * (missing.length + listed);
  if (isEmpty || isMuch) {
    tally.spared(missing);
    return;
  }
  if (missing.length > 0) await deps.removing(missing);
  for (const id of missing) {
    // The owner may have decided about the mention in the meantime.
    const { status } = await store.setStatus(id, 'removed', 'aggregator');
    if (status === 'removed') tally.removed(id);
  }
}

/**
 * Compares the imported mentions with the aggregator's list. `missing`: the ids of the imported mentions that the
 * aggregator no longer lists and that an import may remove. `listed`: the number of imported mentions that the
 * aggregator still lists.
 */
async function compared(
  { store, tally, domain }: CompareDeps,
  sameAccount: boolean,
): Promise<{ missing: string[]; listed: number }> {
  const gone: { id: string; host: string }[] = [];
  const hosts = new Set<string>();
  let listed = 0;
  for await (const { id, wmId } of store.importedIds()) {
    if (tally.seen.has(wmId)) {
      listed += 1;
      continue;
    }
    const mention = await store.get(id);
    if (!mention) continue;
    const { host } = new URL(mention.target);
    if (tally.seen.has(numberOf(mention))) hosts.add(host);
    else if (mayBeRemoved(mention) && (domain === undefined || host === domain)) gone.push({ id, host });
  }
  // The listed mentions are read only if something depends on their sites.
  if (gone.length > 0 && !sameAccount)
    for await (const { id, wmId } of store.importedIds()) {
      const mention = tally.seen.has(wmId) ? await store.get(id) : undefined;
      if (mention) hosts.add(new URL(mention.target).host);
    }
  const missing = gone.filter(({ host }) => sameAccount || hosts.has(host)).map(({ id }) => id);
  return { missing, listed };
}

/** Returns whether an import may remove a mention that the aggregator no longer lists. */
export function mayBeRemoved(mention: Mention): boolean {
  const { status, chosen } = mention;
  return !chosen && status !== 'removed' && status !== 'deleted' && !readSinceImport(mention);
}
