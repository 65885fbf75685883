import { setTimeout as wait } from 'node:timers/promises';
import type { ImportCounts, ImportProgress, MentionStatus } from '../../contract/webmentions.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import { hashOf } from '../../platform/secret-text.ts';
import type { MentionStore } from '../mention-store.ts';
import { AggregatorError, createAggregator, type Aggregator } from './aggregator.ts';
import { openImportState, type ImportStateOptions } from './import-state.ts';
import { createTally } from './progress.ts';
import { fullRun, incrementalRun, type RunDeps } from './runs.ts';

export interface ImportOptions extends ImportStateOptions {
  readonly store: MentionStore;
  readonly fetch: GuardedFetch;
  /** The aggregator's address (settings): `https://webmention.io`. */
  readonly aggregatorUrl: () => string;
  /** What a mention becomes that is not here yet. `isLater`: it came after the first import of the account. */
  readonly statusOf: (source: string, isLater: boolean) => Promise<MentionStatus>;
  readonly now: () => number;
  readonly events: {
    progress(progress: ImportProgress): void;
    /** What the aggregator has no more was taken away, or was not: in words for the owner. */
    compared(words: string): void;
  };
  readonly log: Log;
  /** Waits between two tries; the clock's own where absent. */
  readonly pause?: (ms: number) => Promise<void>;
}

export interface ImportRequest {
  /** The account's token at the aggregator. */
  readonly token: string;
  /** Everything is read again, and what the aggregator has no more is found. Otherwise: what is new or changed. */
  readonly full?: boolean;
  /** The same where the last time was longer ago than this. */
  readonly fullAfterMs?: number;
  /** Only mentions of this one of the account's sites. */
  readonly domain?: string;
  /** Called once, when the aggregator has answered with mentions, and so knows the token; what it throws ends the run. */
  readonly accepted?: () => Promise<void>;
}

export interface ImportResult extends ImportCounts {
  /** In words: why it did not come to its end. What it did is kept, and the next run goes on from there. */
  readonly broken?: string;
  /** The aggregator does not accept the token: another one is needed. */
  readonly refused?: boolean;
}

export interface Import {
  /**
   * Imports from the aggregator. A call while a run is under way joins that one.
   * @throws PorchlightError `storage_*` where what came can not be kept.
   */
  run(request: ImportRequest): Promise<ImportResult>;
  /** Breaks off a run; resolves once it has ended. */
  stop(): Promise<void>;
}

/** Makes the import from webmention.io, or from a server that speaks as it does (PROTOCOLS 8.6). */
export function createImport(options: ImportOptions): Import {
  const { store, fetch, aggregatorUrl, now, events, log } = options;
  let state: ReturnType<typeof openImportState> | undefined;
  let underWay: Promise<ImportResult> | undefined;
  let stopping = new AbortController();

  /** A file that can not be opened now may be later: a failure is not kept. */
  function opened(): ReturnType<typeof openImportState> {
    state ??= openImportState(options);
    state.catch(() => (state = undefined));
    return state;
  }

  async function run({
    token,
    full = false,
    fullAfterMs = Infinity,
    domain,
    accepted,
  }: ImportRequest): Promise<ImportResult> {
    const { signal } = stopping;
    const tally = createTally(now, (progress) => events.progress(progress));
    tally.start();
    const paused = options.pause ?? ((ms: number) => wait(ms, undefined, { signal }).catch(() => undefined));
    try {
      const base = aggregatorUrl();
      const state = await opened();
      // The token goes in as a hash: what is of one account says nothing of another.
      const origin = hashOf([base, token, domain ?? ''].join('\n'));
      const isLater = state.data.origin === origin && state.data.lastFullRun !== undefined;
      const deps: RunDeps = {
        store,
        tally,
        now,
        log,
        domain,
        isAsked: full,
        aggregator: telling(createAggregator({ fetch, base, token, signal, pause: paused }), accepted),
        state,
        origin,
        statusOf: (source) => options.statusOf(source, isLater),
      };
      const isFull = full || mustBeFull(deps, fullAfterMs);
      await (isFull ? fullRun(deps) : incrementalRun(deps));
      tally.done();
      return tally.counts();
    } catch (error) {
      if (!(error instanceof AggregatorError)) {
        tally.failed('What was read could not be kept on this computer.');
        throw error;
      }
      log.warn({ err: error.cause, reason: error.reason }, 'The import was broken off.');
      tally.failed(error.message);
      const refused = error.reason === 'refused';
      return { ...tally.counts(), broken: error.message, ...(refused && { refused }) };
    } finally {
      const words = tally.comparison();
      if (words !== undefined) events.compared(words);
    }
  }

  return {
    run(request) {
      underWay ??= run(request).finally(() => (underWay = undefined));
      return underWay;
    },
    async stop() {
      stopping.abort();
      await underWay?.catch(() => undefined);
      stopping = new AbortController();
    },
  };
}

/** An aggregator that says when it has given its first page. */
function telling(aggregator: Aggregator, accepted: ImportRequest['accepted']): Aggregator {
  let told = false;
  return {
    async page(...asked) {
      const records = await aggregator.page(...asked);
      if (records !== null && !told) {
        told = true;
        await accepted?.();
      }
      return records;
    },
  };
}

/** One that was broken off goes on; the first of an account reads everything; and one that was long ago is repeated. */
function mustBeFull({ state, origin, now }: RunDeps, afterMs: number): boolean {
  const { origin: known, broken, lastFullRun } = state.data;
  if (known !== origin || broken !== undefined || lastFullRun === undefined) return true;
  return now() - Date.parse(lastFullRun) > afterMs;
}
