import { systemClock, type Clock } from './clock.ts';

/** An event that is recorded on its own, or counted together with other events of its group. */
export interface Happening {
  /** The name of the group. Events of the same group are counted together. */
  readonly group: string;
  readonly kind: string;
  readonly words: string;
  /** Returns one sentence about `count` similar events that were not recorded one by one. */
  readonly more: (count: number) => string;
  /** How many of the group's events are recorded one by one. If absent, the default for all groups applies. */
  readonly singly?: number;
}

export type FloodGate = ReturnType<typeof createFloodGate>;

interface FloodGateOptions {
  /** Records one entry in the activity list. */
  readonly record: (kind: string, words: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** How many of a group's events are recorded one by one. Later events are only counted. */
  readonly singly?: number;
  /** How long a group's events are counted before the count is recorded, in ms. */
  readonly windowMs?: number;
  readonly clock?: Clock;
}

interface Group {
  readonly since: number;
  recorded: number;
  counted: number;
  last: Happening;
  readonly timer: NodeJS.Timeout;
}

/**
 * Creates a gate that protects the owner's activity list from a flood of similar events. It records the first few
 * events of a group one by one, and then records a single count of the other events in the same time window. If the
 * process is killed, only the entry with the count is lost, because the events themselves are on disk elsewhere.
 */
export function createFloodGate(options: FloodGateOptions) {
  const { record, failed, singly = 5, windowMs = 600_000, clock = systemClock } = options;
  const groups = new Map<string, Group>();
  const underWay = new Set<Promise<void>>();
  let closed = false;

  function write(kind: string, words: string): Promise<void> {
    const done: Promise<void> = record(kind, words)
      .catch(failed)
      .finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  function end(name: string): void {
    const group = groups.get(name);
    groups.delete(name);
    if (!group) return;
    clearTimeout(group.timer);
    if (group.counted > 0) void write(group.last.kind, group.last.more(group.counted));
  }

  return {
    /**
     * Records the event or counts it. Resolves once its entry is on disk; at once if it is only counted. Never rejects.
     */
    pass(happening: Happening): Promise<void> {
      if (closed) return Promise.resolve();
      const { group: name, kind, words } = happening;
      // Timers stop while the computer sleeps, so `pass` also checks the clock to see whether the group's time window
      // is over.
      const open = groups.get(name);
      if (open && clock() - open.since >= windowMs) end(name);
      const group = groups.get(name) ?? {
        recorded: 0,
        counted: 0,
        last: happening,
        since: clock(),
        timer: setTimeout(() => end(name), windowMs).unref(),
      };
      groups.set(name, group);
      group.last = happening;
      if (group.recorded < (happening.singly ?? singly)) {
        group.recorded += 1;
        return write(kind, words);
      }
      group.counted += 1;
      return Promise.resolve();
    },

    /** Records the pending counts of all groups. Resolves when they are recorded. */
    async close(): Promise<void> {
      closed = true;
      for (const name of [...groups.keys()]) end(name);
      await Promise.allSettled(underWay);
    },
  };
}
