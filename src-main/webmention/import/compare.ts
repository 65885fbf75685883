import type { Mention } from '../mention.ts';
import type { MentionStore } from '../mention-store.ts';
import type { Tally } from './progress.ts';
import { numberOf, readSinceImport } from './raw-mention.ts';

export interface CompareDeps {
  readonly store: MentionStore;
  /** Has seen every number that the aggregator lists. */
  readonly tally: Tally;
  readonly domain: string | undefined;
  /** The owner asked for this run. One that nobody asked for takes away a few mentions, not most of them. */
  readonly isAsked: boolean;
}

/** More than so many, and than this part of all, is more likely a trouble of the aggregator's than its owner's wish. */
const mostUnasked = 10;
const partUnasked = 0.1;

/**
 * Marks what the aggregator has no more as removed (WI-33). A mention that the owner decided on stays, and so does one
 * whose source we read ourselves since. Where the account was never read to its end before, `sameAccount` is false: what
 * is here may be another account's then, and only sites that this one has are looked at. Where it lists nothing at all,
 * its site may have been deleted there after it moved here: nothing goes then, whoever asked.
 */
export async function removeMissing(deps: CompareDeps, sameAccount: boolean): Promise<void> {
  const { store, tally, isAsked } = deps;
  const { missing, listed } = await compared(deps, sameAccount);
  const isEmpty = tally.seen.size === 0;
  const isMost = missing.length > mostUnasked && missing.length > partUnasked * (missing.length + listed);
  if (isEmpty || (isMost && !isAsked)) {
    tally.spared(missing.length);
    return;
  }
  for (const id of missing) {
    await store.setStatus(id, 'removed', 'aggregator');
    tally.removed();
  }
}

/** The mentions that came from the aggregator and may go, as it has them no more; and how many it has still. */
async function compared(
  { store, tally, domain }: CompareDeps,
  sameAccount: boolean,
): Promise<{ missing: string[]; listed: number }> {
  const gone: { id: string; host: string }[] = [];
  const hosts = new Set<string>();
  const ids: { id: string; wmId: number }[] = [];
  let listed = 0;
  for await (const one of store.importedIds()) ids.push(one);
  // By page, as the beginning of an identifier names it: each document is opened once, however many there are.
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

function mayBeRemoved(mention: Mention): boolean {
  const { status, chosen } = mention;
  return !chosen && status !== 'removed' && status !== 'deleted' && !readSinceImport(mention);
}
