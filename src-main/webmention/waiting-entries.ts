import { createDueOrder } from '../platform/due-order.ts';
import type { QueueEntry } from './queue-entry.ts';
import { createQueueShares, nearby, type QueueParty } from './queue-shares.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';

export interface WaitingLimits {
  /** The most entries that may wait. */
  readonly waiting: number;
  /**
   * The greatest total length of the sources and targets of waiting mentions (default: 8 million), because all of them
   * are in memory. Each mention counts for its own length, but at least for an equal share of the total.
   */
  readonly characters?: number;
}

interface Waiting {
  entry: QueueEntry;
  /** In memory only, because it is private who sent a mention. Unknown after a restart. */
  readonly visitor: string | undefined;
  /** Whose shares the entry uses: those of its source's site and, if known, of its visitor. */
  readonly parties: readonly QueueParty[];
  readonly size: number;
}

const mostCharacters = 8_000_000;

/**
 * Creates the collection of the queue's waiting entries, in queue order, with the visitors who sent them. Also counts
 * how much each site and each visitor has waiting. No method but `values` looks at all entries.
 */
export function createWaitingEntries(limits: WaitingLimits) {
  const { characters = mostCharacters } = limits;
  const waiting = new Map<string, Waiting>();
  const usual = characters / limits.waiting;
  const shares = createQueueShares(characters, usual);
  const get = (token: string) => waiting.get(token)?.entry;
  const order = createDueOrder<QueueEntry>((entry) => get(entry.token) === entry);

  /** Adds an entry, or updates it; an updated entry keeps its place. `visitor`: who sent a new entry, if known. */
  function put(entry: QueueEntry, visitor?: string): void {
    const known = waiting.get(entry.token);
    if (known) known.entry = entry;
    else {
      const parties = partiesOf(entry.source, visitor);
      const size = Math.max(usual, entry.source.length + entry.target.length);
      waiting.set(entry.token, { entry, visitor, parties, size });
      shares.add(parties, size);
    }
    order.add(entry, Date.parse(entry.next));
  }

  return {
    get,
    *values(): Iterable<QueueEntry> {
      for (const { entry } of waiting.values()) yield entry;
    },
    get size() {
      return waiting.size;
    },
    put,
    /** Updates an entry, which moves behind the others. */
    putLast(entry: QueueEntry): void {
      const known = waiting.get(entry.token);
      waiting.delete(entry.token);
      if (known) waiting.set(entry.token, known);
      put(entry);
    },
    /** Removes an entry, and forgets its sender. */
    drop(token: string): void {
      const known = waiting.get(token);
      if (known === undefined) return;
      waiting.delete(token);
      shares.remove(known.parties, known.size);
    },
    /** Returns who has too much waiting to add another mention from this source and visitor. */
    crowd: (source: string, visitor: string) => shares.crowd(partiesOf(source, visitor)),
    /** Returns the network that sent an entry, if it is known and the entry came through the tunnel. */
    visitorOf(token: string): string | undefined {
      const visitor = waiting.get(token)?.visitor;
      return visitor === nearby.name ? undefined : visitor;
    },
    /** Returns the entries that became due since the last call, in the order in which they became due. `now` in ms. */
    takeDue(now: number): QueueEntry[] {
      const due: QueueEntry[] = [];
      for (let entry = order.take(now); entry !== undefined; entry = order.take(now)) due.push(entry);
      return due;
    },
    /** Returns when the next entry becomes due, in ms; Infinity if none will. */
    nextDue: () => order.next(),
  };
}

function partiesOf(source: string, visitor: string | undefined): QueueParty[] {
  const site: QueueParty = { kind: 'site', name: siteOfHost(hostOf(new URL(source))) };
  if (visitor === undefined) return [site];
  return [site, visitor === nearby.name ? nearby : { kind: 'visitor', name: visitor }];
}
