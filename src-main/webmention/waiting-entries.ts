import { createDueOrder } from '../platform/due-order.ts';
import type { QueueEntry } from './queue-entry.ts';
import { createQueueShares, nearby, type QueueParty } from './queue-shares.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';

/**
 * The waiting entries of the queue, in queue order, with the visitors who sent them. Also counts how much each site and
 * each visitor has waiting.
 */
export interface WaitingEntries {
  get(token: string): QueueEntry | undefined;
  values(): Iterable<QueueEntry>;
  readonly size: number;
  /** Adds an entry, or updates it; an updated entry keeps its place. */
  put(entry: QueueEntry): void;
  /** Removes an entry if it is waiting. Its sender is remembered until `forgetVisitor`. */
  drop(token: string): void;
  /**
   * Returns who has too much waiting to add another mention from this source and visitor; undefined if there is room.
   */
  crowd(entry: Pick<QueueEntry, 'source' | 'token'>, visitor: string): 'all' | QueueParty['kind'] | undefined;
  /**
   * Returns the network that sent an entry; undefined if it is unknown or the entry did not come through the tunnel.
   */
  visitorOf(token: string): string | undefined;
  setVisitor(token: string, visitor: string): void;
  forgetVisitor(token: string): void;
  /** Returns the entries that became due since the last call, in the order in which they became due. `now` in ms. */
  takeDue(now: number): QueueEntry[];
  /** Returns when the next entry becomes due, in ms; Infinity if none will. */
  nextDue(): number;
}

export interface WaitingLimits {
  /** The most entries that may wait. */
  readonly waiting: number;
  /**
   * The greatest total length of the sources and targets of waiting mentions (default: 8 million), because all of them
   * are in memory. Each mention counts for its own length, but at least for an equal share of the total.
   */
  readonly characters?: number;
}

const mostCharacters = 8_000_000;

/** Creates the collection in memory, with nothing waiting. */
export function createWaitingEntries(limits: WaitingLimits): WaitingEntries {
  const { characters = mostCharacters } = limits;
  const waiting = new Map<string, QueueEntry>();
  const usual = characters / limits.waiting;
  const shares = createQueueShares(characters, usual);
  /** By token. In memory only, because it is private who sent a mention, and not kept longer than necessary. */
  const visitors = new Map<string, string>();
  const order = createDueOrder<QueueEntry>((entry) => waiting.get(entry.token) === entry);
  const sizeOf = ({ source, target }: QueueEntry) => Math.max(usual, source.length + target.length);

  /**
   * Returns the parties whose share of the queue an entry uses: the site of its source and, if known, the visitor who
   * sent it. Visitors are forgotten when the server stops.
   */
  function partiesOf({ source, token }: Pick<QueueEntry, 'source' | 'token'>): QueueParty[] {
    const name = visitors.get(token);
    const site: QueueParty = { kind: 'site', name: siteOfHost(hostOf(new URL(source))) };
    return name === undefined ? [site] : [site, visitorNamed(name)];
  }

  return {
    get: (token) => waiting.get(token),
    values: () => waiting.values(),
    get size() {
      return waiting.size;
    },
    put(entry) {
      if (!waiting.has(entry.token)) shares.add(partiesOf(entry), sizeOf(entry));
      waiting.set(entry.token, entry);
      order.add(entry, Date.parse(entry.next));
    },
    drop(token) {
      const entry = waiting.get(token);
      if (entry === undefined) return;
      waiting.delete(token);
      shares.remove(partiesOf(entry), sizeOf(entry));
    },
    crowd: (entry, visitor) => shares.crowd([...partiesOf(entry), visitorNamed(visitor)]),
    visitorOf(token) {
      const name = visitors.get(token);
      return name === nearby.name ? undefined : name;
    },
    setVisitor: (token, visitor) => void visitors.set(token, visitor),
    forgetVisitor: (token) => void visitors.delete(token),
    takeDue(now) {
      const due: QueueEntry[] = [];
      for (let entry = order.take(now); entry !== undefined; entry = order.take(now)) due.push(entry);
      return due;
    },
    nextDue: () => order.next(),
  };
}

const visitorNamed = (name: string): QueueParty =>
  name === nearby.name ? nearby : { kind: 'visitor', name };
