import { createDueOrder } from '../../storage/work/due-order.ts';
import type { Publisher } from './publisher.ts';
import type { PublisherName, PublishingEntry } from './publishing-entry.ts';

type State = 'waiting' | 'building';
type Orders = Readonly<Record<State, ReturnType<typeof createDueOrder<PublishingEntry>>>>;

interface DueEntriesDeps {
  /** Returns whether an entry is the newest entry with its id. */
  readonly isCurrent: (entry: PublishingEntry) => boolean;
  readonly now: () => number;
}

const longestWaitMs = 3_600_000;

/** Creates a list of entries for each publisher, in the order in which they are due. */
export function createDueEntries({ isCurrent, now }: DueEntriesDeps) {
  const publishers = new Map<PublisherName, Orders>();

  function ordersOf(publisher: PublisherName): Orders {
    const known = publishers.get(publisher);
    if (known) return known;
    const made = { waiting: createDueOrder(isCurrent), building: createDueOrder(isCurrent) };
    publishers.set(publisher, made);
    return made;
  }

  return {
    /**
     * Schedules an entry's next attempt. Does nothing if the entry is in conflict, because the owner has to decide
     * first.
     */
    add(entry: PublishingEntry): void {
      const { state } = entry;
      if (state !== 'waiting' && state !== 'building') return;
      // If the clock was wrong, the due time may be far in the future. So the wait is limited. Trying early does no
      // harm.
      ordersOf(entry.publisher)[state].add(entry, Math.min(Date.parse(entry.due), now() + longestWaitMs));
    },

    /** Removes and returns the entries that are due at `at` (ms), up to `most` entries; see Publisher.batch. */
    take(publisher: PublisherName, state: State, at: number, most: Publisher['batch']): PublishingEntry[] {
      const taken: PublishingEntry[] = [];
      let news = 0;
      while (taken.length < most.all && news < most.news) {
        const entry = ordersOf(publisher)[state].take(at);
        if (entry === undefined) break;
        taken.push(entry);
        if (!entry.quiet) news += 1;
      }
      return taken;
    },

    /** Returns the due time of the next entry, in ms; Infinity if there is no entry. */
    next: (publisher: PublisherName, state: State) => ordersOf(publisher)[state].next(),
  };
}
