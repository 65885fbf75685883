import { createHash } from 'node:crypto';

/** A post as it was last acknowledged. */
export interface KeptPost {
  readonly text: string;
  readonly isDeleted: boolean;
  /** The page of somebody else that it links, to be told of it. */
  readonly links?: string;
}

/** A mention as it was last acknowledged: what its source says; null where it is gone. */
export interface KeptMention {
  readonly target: string;
  readonly says: string | null;
}

/** An app that is signed in, or was. */
export interface KeptApp {
  readonly clientId: string;
  readonly access: string;
  readonly refresh: string;
  readonly isRevoked: boolean;
}

/** Everything that the server has acknowledged, by its address, and what went wrong on the way. */
export interface Ledger {
  readonly posts: Map<string, KeptPost>;
  /** Digests of what was served right after the upload. */
  readonly files: Map<string, string>;
  /** By their sources; those that were sent here. */
  readonly mentions: Map<string, KeptMention>;
  /** By their sources; those of the aggregator. */
  readonly imported: Map<string, KeptMention>;
  readonly apps: KeptApp[];
  /** How often each kind of thing was done. */
  readonly done: Map<string, number>;
  /** What nobody expected, once a kind, with how often it was. */
  readonly faults: Map<string, number>;
  count(what: string): void;
  fault(words: string): void;
}

export function openLedger(): Ledger {
  const done = new Map<string, number>();
  const faults = new Map<string, number>();
  const add = (to: Map<string, number>, name: string) => void to.set(name, (to.get(name) ?? 0) + 1);
  return {
    posts: new Map(),
    files: new Map(),
    mentions: new Map(),
    imported: new Map(),
    apps: [],
    done,
    faults,
    count: (what) => add(done, what),
    fault: (words) => add(faults, words),
  };
}

export const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
