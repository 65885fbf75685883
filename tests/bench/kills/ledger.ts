/** What a thing is: a text that tells its content and status, or one of the two states below. */
export type State = string;

/** The thing never was, or left no trace. */
export const absent: State = 'absent';
/** The thing was removed, revoked or withdrawn, and the server may still know of it. */
export const removed: State = 'removed';

/** A thing that is not in a state in which it may be. */
export interface Fault {
  readonly kind: 'lost' | 'resurrected';
  readonly words: string;
}

/** What a server acknowledged, and what it was asked and did not answer. Pure: it knows neither server nor files. */
export interface Ledger {
  /**
   * Records that a request is on its way that brings the thing `key` into a state. The returned function records that
   * the server acknowledged it. `isFollowed`: without an acknowledgement, the server may still bring the thing into the
   * state later, by itself.
   */
  send(key: string, state: State, how?: { readonly isFollowed: true }): () => void;
  /** Returns the state that was last acknowledged. */
  stateOf(key: string): State;
  /** Returns the things that requests were sent for since the last call of `settle`. */
  changed(): ReadonlySet<string>;
  /** Returns how many changes were acknowledged, by the first word of their keys. */
  counts(): ReadonlyMap<string, number>;
  /**
   * Compares what is there with what may be there. An acknowledged change must be there. A change that was sent and not
   * answered may be there or not, but nothing else may: half a change is a loss.
   */
  faults(seen: ReadonlyMap<string, State>): Fault[];
  /** Takes what is there for acknowledged, because it must stay from now on. What the server follows may still come. */
  settle(seen: ReadonlyMap<string, State>): void;
}

interface Kept {
  acknowledged: State;
  /** The states of unanswered requests, oldest first. */
  sent: State[];
  isFollowed: boolean;
}

/** Opens an empty ledger. */
export function openLedger(): Ledger {
  const all = new Map<string, Kept>();
  const counts = new Map<string, number>();
  let changed = new Set<string>();
  const isGone = (state: State) => state === absent || state === removed;

  function faultOf(key: string, { acknowledged, sent }: Kept, is: State): Fault | undefined {
    const may = [acknowledged, ...sent];
    if (may.includes(is)) return undefined;
    const words = `${key} is “${is}”, and should be ${may.map((state) => `“${state}”`).join(' or ')}`;
    return { kind: may.every(isGone) && !isGone(is) ? 'resurrected' : 'lost', words };
  }

  return {
    send(key, state, how) {
      const kept = all.get(key) ?? { acknowledged: absent, sent: [], isFollowed: false };
      all.set(key, kept);
      kept.sent.push(state);
      kept.isFollowed ||= how?.isFollowed === true;
      changed.add(key);
      return () => {
        kept.acknowledged = state;
        kept.sent = [];
        const kind = key.split(' ')[0] ?? '';
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      };
    },
    stateOf: (key) => all.get(key)?.acknowledged ?? absent,
    changed: () => changed,
    counts: () => counts,

    faults(seen) {
      const known = [...all].map(([key, kept]) => faultOf(key, kept, seen.get(key) ?? absent));
      const strange = [...seen.keys()]
        .filter((key) => !all.has(key))
        .map((key): Fault => ({ kind: 'resurrected', words: `${key} came from nowhere` }));
      return [...known.filter((fault) => fault !== undefined), ...strange];
    },

    settle(seen) {
      for (const [key, kept] of all) {
        kept.acknowledged = seen.get(key) ?? absent;
        if (!kept.isFollowed || kept.acknowledged !== absent) kept.sent = [];
      }
      changed = new Set();
    },
  };
}
