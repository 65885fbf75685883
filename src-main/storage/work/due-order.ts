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
