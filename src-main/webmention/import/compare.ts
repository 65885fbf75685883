import type { Mention } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import type { Tally } from './progress.ts';
import { numberOf, readSinceImport } from './raw-mention.ts';

export interface CompareDeps {
  readonly store: MentionStore;
  /** The run's tally, which has already seen the number of every mention that the aggregator lists. */
  readonly tally: Tally;
  readonly domain: string | undefined;
  /** Called with the mentions that are about to be removed, before the first one is. */
  readonly removing: (ids: readonly string[]) => Promise<void>;
}

/** If the missing mentions exceed both this number and this share, the aggregator is probably at fault. */
const mostRemoved = 10;
const partRemoved = 0.1;

/**
 * Marks as removed the mentions that the aggregator no longer lists (WI-33). Keeps those that the owner decided about
 * and those whose source this server has read since. `sameAccount` is false if no earlier run read this account to the
 * end: the stored mentions may then come from another account, so only mentions of this account's sites are compared.
 * If many mentions are missing, or the list is empty (as it is for an account closed after a move), none is removed:
 * the owner decides.
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
    await store.setStatus(id, 'removed', 'aggregator');
    tally.removed(id);
  }
}

/** Finds the imported mentions that the aggregator no longer lists, and counts those that it does. */
async function compared(
  { store, tally, domain }: CompareDeps,
  sameAccount: boolean,
): Promise<{ missing: string[]; listed: number }> {
  const gone: { id: string; host: string }[] = [];
  const hosts = new Set<string>();
  const ids: { id: string; wmId: number }[] = [];
  let listed = 0;
  for await (const one of store.importedIds()) ids.push(one);
  // Sorted so that identifiers of the same page are adjacent: each page's document is opened only once.
  for (const { id, wmId } of ids.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const isListed = tally.seen.has(wmId);
    if (isListed) listed += 1;
    if (isListed && sameAccount) continue;
    const mention = await store.get(id);
    if (!mention) continue;
    const { host } = new URL(mention.target);
    if (isListed || tally.seen.has(numberOf(mention))) hosts.add(host);
    else if (mayBeRemoved(mention) && (domain === undefined || host === domain)) gone.push({ id, host });
  }
  const missing = gone.filter(({ host }) => sameAccount || hosts.has(host)).map(({ id }) => id);
  return { missing, listed };
}

/** Returns whether the aggregator's list decides about a mention. */
export function mayBeRemoved(mention: Mention): boolean {
  const { status, chosen } = mention;
  return !chosen && status !== 'removed' && status !== 'deleted' && !readSinceImport(mention);
}
