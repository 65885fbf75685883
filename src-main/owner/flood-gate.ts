import { systemClock, type Clock } from '../platform/clock.ts';

/** What is to be written down of one thing that happened, and of many of its kind. */
export interface Happening {
  /** The same for things that are counted together. */
  readonly group: string;
  readonly kind: string;
  readonly words: string;
  /** Words for the `count` of its group that were not told one by one. */
  readonly more: (count: number) => string;
  /** How many of its group are told one by one, where that is not the gate's usual number. */
  readonly singly?: number;
}

export interface FloodGate {
  /** Tells it, or counts it. Never rejects and is not waited for. */
  pass(happening: Happening): void;
  /** Tells what was counted; resolves when all is told. */
  close(): Promise<void>;
}

export interface FloodGateOptions {
  /** Writes a line down. */
  readonly tell: (kind: string, words: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** How many of a group are told one by one before the rest is counted. */
  readonly singly?: number;
  /** How long a group is counted before its number is told, in ms. */
  readonly windowMs?: number;
  readonly clock?: Clock;
}

interface Group {
  readonly since: number;
  told: number;
  counted: number;
  last: Happening;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps a flood of one kind from pushing everything else out of the owner's list: of each group the first few are told
 * one by one, the rest of the window as one number. What is counted is on disk elsewhere: a kill loses its line only.
 */
export function createFloodGate({
  tell,
  failed,
  singly = 5,
  windowMs = 600_000,
  clock = systemClock,
}: FloodGateOptions): FloodGate {
  const groups = new Map<string, Group>();
  const underWay = new Set<Promise<void>>();
  let closed = false;

  function write(kind: string, words: string): void {
    const done: Promise<void> = tell(kind, words)
      .catch(failed)
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  function end(name: string): void {
    const group = groups.get(name);
    groups.delete(name);
    if (!group) return;
    clearTimeout(group.timer);
    if (group.counted > 0) write(group.last.kind, group.last.more(group.counted));
  }

  return {
    pass(happening) {
      if (closed) return;
      const { group: name, kind, words } = happening;
      // Timers stop while the computer sleeps, so the clock ends a window too.
      const open = groups.get(name);
      if (open && clock() - open.since >= windowMs) end(name);
      const group = groups.get(name) ?? {
        told: 0,
        counted: 0,
        last: happening,
        since: clock(),
        timer: setTimeout(() => end(name), windowMs).unref(),
      };
      groups.set(name, group);
      group.last = happening;
      if (group.told < (happening.singly ?? singly)) {
        group.told += 1;
        write(kind, words);
      } else group.counted += 1;
    },

    async close() {
      closed = true;
      for (const name of [...groups.keys()]) end(name);
      await Promise.allSettled(underWay);
    },
  };
}
