import { createDueOrder } from '../storage/work/due-order.ts';
import type { QueueEntry } from './queue-entry.ts';
import { createQueueShares, nearby, type QueueParty } from './queue-shares.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';

export interface WaitingLimits {
  /** The maximum number of waiting entries. */
  readonly waiting: number;
  /**
   * The maximum total length of the sources and targets of all waiting mentions (default: 8 million characters). There
   * must be a maximum, because the mentions are kept in memory. Each mention counts as at least the average length,
   * which is this maximum divided by `waiting`.
   */
  readonly characters?: number;
}

interface Waiting {
  entry: QueueEntry;
  /** The sender; undefined if unknown. Kept only in memory, for the sender's privacy. */
  readonly visitor: string | undefined;
  /** The site of the source and, if known, the sender. The entry counts toward the limits of both. */
  readonly parties: readonly QueueParty[];
  readonly size: number;
}

const mostCharacters = 8_000_000;

/**
 * Creates the collection of the queue's waiting entries, in queue order, with their senders. Also counts the waiting
 * entries of each site and each sender. Every method except `values` is fast, even with many entries.
 */
export function createWaitingEntries(limits: WaitingLimits) {
  const { characters = mostCharacters } = limits;
  const waiting = new Map<string, Waiting>();
  const usual = characters / limits.waiting;
  const shares = createQueueShares(characters, usual);
  const get = (token: string) => waiting.get(token)?.entry;
  const order = createDueOrder<QueueEntry>((entry) => get(entry.token) === entry);

  /** Adds or updates an entry. An updated entry keeps its position. `visitor`: the sender of a new entry, if known. */
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
    /** Updates an entry, and moves it behind all other entries. */
    putLast(entry: QueueEntry): void {
      const known = waiting.get(entry.token);
      waiting.delete(entry.token);
      if (known) waiting.set(entry.token, known);
      put(entry);
    },
    /** Removes an entry and its sender. */
    drop(token: string): void {
      const known = waiting.get(token);
      if (known === undefined) return;
      waiting.delete(token);
      shares.remove(known.parties, known.size);
    },
    /**
     * Returns the limit that prevents another mention from a source and sender from being added; see
     * `createQueueShares`.
     */
    crowd: (source: string, visitor: string) => shares.crowd(partiesOf(source, visitor)),
    /**
     * Returns the network that sent an entry; undefined if the network is unknown, or if the entry didn't come through
     * the tunnel.
     */
    visitorOf(token: string): string | undefined {
      const visitor = waiting.get(token)?.visitor;
      return visitor === nearby.name ? undefined : visitor;
    },
    /**
     * Returns the entries that have become due since the last call, in the order in which they became due. `now` in ms.
     */
    takeDue(now: number): QueueEntry[] {
      const due: QueueEntry[] = [];
      for (let entry = order.take(now); entry !== undefined; entry = order.take(now)) due.push(entry);
      return due;
    },
    /** Returns when the next entry becomes due, in ms; Infinity if no entry will become due. */
    nextDue: () => order.next(),
  };
}

/**
 * Returns the site and the sender of a mention. If both have reached their limits, the first one in the returned list
 * is reported as the reason.
 */
function partiesOf(source: string, visitor: string | undefined): QueueParty[] {
  const site: QueueParty = { kind: 'site', name: siteOfHost(hostOf(new URL(source))) };
  if (visitor === undefined) return [site];
  return visitor === nearby.name ? [nearby, site] : [site, { kind: 'visitor', name: visitor }];
}
