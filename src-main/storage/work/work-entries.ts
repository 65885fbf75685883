import type { TSchema } from 'typebox';
import { type KindRules, plausibleDueIn, type WorkEntry } from './work-kind.ts';

/** The entries of a kind of work in memory, by when they are due. */
export class WorkEntries {
  readonly #kind: Pick<KindRules<TSchema>, 'added' | 'removed' | 'retries'>;
  readonly #tried: ReadonlySet<string>;
  readonly #now: () => number;
  /** The entries by key, in the order in which they were added. */
  readonly byKey = new Map<string, WorkEntry>();
  readonly order = createDueOrder<WorkEntry>((entry) => this.byKey.get(entry.key) === entry);
  /** Due entries that `mayRun` or their attempt holds back, by key. */
  readonly #held = new Map<string, WorkEntry>();
  /** Entries that failed while offline or because of this computer. `wake` makes them due. */
  readonly paused = new Map<string, WorkEntry>();
  /** The number of failed attempts while offline, by key. Only in memory, because a start may be on another network. */
  readonly offline = new Map<string, number>();

  constructor(kind: Pick<KindRules<TSchema>, 'added' | 'removed' | 'retries' | 'tried'>, now: () => number) {
    this.#kind = kind;
    this.#tried = new Set(['waiting', 'planned', ...(kind.tried ?? [])]);
    this.#now = now;
  }

  /** Returns whether work is tried when it is due. */
  waits({ state }: WorkEntry): boolean {
    return this.#tried.has(state);
  }

  /** Returns whether work was neither cancelled nor added again since. */
  hasCurrent({ key, seq }: WorkEntry): boolean {
    return this.byKey.get(key)?.seq === seq;
  }

  put(entry: WorkEntry): void {
    // An entry that was added again moves to the end.
    const before = this.byKey.get(entry.key);
    if (before?.seq !== entry.seq) this.byKey.delete(entry.key);
    this.byKey.set(entry.key, entry);
    if (before === undefined) this.#kind.added?.(entry);
    this.#held.delete(entry.key);
    this.paused.delete(entry.key);
    if (this.waits(entry)) this.order.add(entry, entry.due);
  }

  /** Puts an entry that was added, which has all its attempts while offline again. */
  putNew(entry: WorkEntry): void {
    this.offline.delete(entry.key);
    this.put(entry);
  }

  /** Puts an entry that waits for this computer to work again. */
  pause(entry: WorkEntry): void {
    this.put(entry);
    this.paused.set(entry.key, entry);
  }

  /** Holds a due entry back until `wake`. */
  hold(entry: WorkEntry): void {
    this.#held.set(entry.key, entry);
  }

  /** Lets an entry wait for its host until `due`, in ms. `isHere`: whether `wake` ends that. */
  delay(entry: WorkEntry, due: number, isHere: boolean): void {
    this.order.add(entry, due);
    if (isHere) this.paused.set(entry.key, entry);
  }

  /** Lets an entry that was tried wait until it is due. */
  lineUpAgain(key: string): void {
    const entry = this.byKey.get(key);
    if (entry && this.waits(entry) && !this.#held.has(key)) this.order.add(entry, entry.due);
  }

  drop(key: string): void {
    const before = this.byKey.get(key);
    this.byKey.delete(key);
    if (before) this.#kind.removed?.(before);
    for (const one of [this.#held, this.paused, this.offline]) one.delete(key);
  }

  /** Drops work unless it was added again. */
  dropCurrent(entry: WorkEntry): void {
    if (this.hasCurrent(entry)) this.drop(entry.key);
  }

  /** Makes entries due now that were scheduled too far ahead because the clock was wrong. */
  bringForward(): void {
    for (const entry of [...this.byKey.values()])
      if (!this.#isPlausible(entry)) this.put({ ...entry, due: this.#now() });
  }

  /** Makes held entries and paused ones due. */
  wake(): void {
    for (const entry of [...this.#held.values()]) if (this.#isSame(entry)) this.put(entry);
    for (const entry of [...this.paused.values()])
      if (this.#isSame(entry)) this.put({ ...entry, due: Math.min(entry.due, this.#now()) });
    this.#held.clear();
    this.paused.clear();
  }

  /** Replaces all entries by those that were found in the database. */
  load(found: readonly WorkEntry[]): void {
    for (const key of [...this.byKey.keys()]) this.drop(key);
    for (const entry of found) this.put(this.#isPlausible(entry) ? entry : { ...entry, due: this.#now() });
  }

  #isSame(entry: WorkEntry): boolean {
    return this.byKey.get(entry.key) === entry;
  }

  #isPlausible({ state, due }: WorkEntry): boolean {
    return state === 'planned' || plausibleDueIn(this.#kind.retries, due, this.#now()) === due;
  }
}
interface Item<T> {
  readonly thing: T;
  readonly at: number;
  /** Breaks ties: items that are due at the same time are taken in the order in which they were added. */
  readonly order: number;
}

/**
 * The list must have more items than this number before a cleanup removes the unwanted items. After that, a cleanup
 * runs whenever the list has more than doubled since the last cleanup.
 */
const fewItems = 1000;

/**
 * Creates a list of items, ordered by their due time (a binary heap). Adding an item and taking the first item stay
 * fast in long lists. `isCurrent` returns whether an item is still wanted. Unwanted items are skipped and eventually
 * removed.
 */
export function createDueOrder<T>(isCurrent: (thing: T) => boolean) {
  let heap: Item<T>[] = [];
  let added = 0;
  let mostItems = fewItems;

  const isBefore = (a: Item<T>, b: Item<T>) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function rise(item: Item<T>, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(item, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = item;
  }

  function sink(item: Item<T>): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      let child = heap[below];
      const other = heap[below + 1];
      if (child !== undefined && other !== undefined && isBefore(other, child)) {
        child = other;
        below += 1;
      }
      if (child === undefined || !isBefore(child, item)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = item;
  }

  function removeFirst(): void {
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) sink(last);
  }

  /** Returns the first item that is still wanted; undefined if there is none. */
  function first(): Item<T> | undefined {
    while (heap[0] !== undefined && !isCurrent(heap[0].thing)) removeFirst();
    return heap[0];
  }

  function clearOut(): void {
    // A sorted array is a valid heap.
    heap = heap.filter(({ thing }) => isCurrent(thing)).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    mostItems = Math.max(fewItems, 2 * heap.length);
  }

  return {
    /** Adds an item. `at`: when it is due, in ms. */
    add(thing: T, at: number): void {
      heap.push({ thing, at, order: (added += 1) });
      rise(heap[heap.length - 1] as Item<T>, heap.length - 1);
      if (heap.length > mostItems) clearOut();
    },
    /** Removes and returns the first item if it is due at `now`; otherwise returns undefined. */
    take(now: number): T | undefined {
      const item = first();
      if (item === undefined || item.at > now) return undefined;
      removeFirst();
      return item.thing;
    },
    /** Returns the due time of the first item, in ms; Infinity if there are no items. */
    next: () => first()?.at ?? Infinity,
  };
}
