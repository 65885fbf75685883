import { createDueOrder } from '../platform/due-order.ts';
import { siteOfHost } from '../platform/site-name.ts';
import type { QueueEntry } from './queue-entry.ts';
import { createQueueShares, nearby, type QueueParty } from './queue-shares.ts';
import { hostOf } from '../mentions/own-sites.ts';

/** The entries of the queue that wait: in the order of their turn, with who sent them and who has how much waiting. */
export interface WaitingEntries {
  get(token: string): QueueEntry | undefined;
  values(): Iterable<QueueEntry>;
  readonly size: number;
  /** Adds an entry, or brings one up to date, which keeps its place. */
  put(entry: QueueEntry): void;
  /** Takes an entry out where it waits. Who sent it is remembered until `forgetVisitor`. */
  drop(token: string): void;
  /** Says who has too much waiting for one more of this source and visitor to come in. */
  crowd(entry: Pick<QueueEntry, 'source' | 'token'>, visitor: string): 'all' | QueueParty['kind'] | undefined;
  /** The network that sent an entry; undefined where that is not known, or was not through the tunnel. */
  visitorOf(token: string): string | undefined;
  setVisitor(token: string, visitor: string): void;
  forgetVisitor(token: string): void;
  /** Takes those that fell due since it was last asked (`now`: ms), in the order in which they did. */
  takeDue(now: number): QueueEntry[];
  /** Returns when the next one falls due, in ms; Infinity where none waits for that. */
  nextDue(): number;
}

export interface WaitingLimits {
  /** How many may wait. */
  readonly waiting: number;
  /**
   * How long the addresses of those that wait may be together (8 million): all of them are in memory. A mention counts
   * with its length, and with its part of this where it is shorter.
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
  /** By token. In memory only: who sent what is nobody's business for longer than it has to be. */
  const visitors = new Map<string, string>();
  const order = createDueOrder<QueueEntry>((entry) => waiting.get(entry.token) === entry);
  const sizeOf = ({ source, target }: QueueEntry) => Math.max(usual, source.length + target.length);

  /** Nobody knows who sent those that waited when the queue was opened: they count for their sites. */
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
