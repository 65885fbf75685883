import { setTimeout as wait } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import type { ImportCounts, ImportProgress } from '../../contract/mention-import.ts';
import type { MentionStatus } from '../../contract/webmentions.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import { hashOf } from '../../platform/secret-text.ts';
import type { Recovery } from '../../storage/recovery.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import { AggregatorError, createAggregator, type Aggregator } from './aggregator.ts';
import { isNotable, newRun, openImportRuns, removalsOf, type ImportRunList } from './import-runs.ts';
import { openImportState, type ImportStateOptions } from './import-state.ts';
import { diskFailure } from './disk-failure.ts';
import { createTally } from './progress.ts';
import { createRemovals, type Removals } from './removals.ts';
import { fullRun, incrementalRun, type RunDeps } from './runs.ts';

export interface ImportOptions extends Pick<ImportStateOptions, 'dir'> {
  readonly onRecovered?: (recovery: Recovery) => void | Promise<void>;
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
    /** Pages had no room for all of their mentions: in words for the owner. */
    leftOut(words: string): void;
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
  /**
   * Looks for what is gone there, too, where the last time was longer ago than this: after what is new was read, and
   * without taking away much that nobody asked to take away.
   */
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
   * Imports from the aggregator. A call joins a run that is under way where that does the same; one that is not `full`
   * gives way to it, and another is waited for. After `stop` it only says so.
   * @throws PorchlightError `storage_*` where what came can not be kept.
   */
  run(request: ImportRequest): Promise<ImportResult>;
  /** What the last runs did. */
  runs(): Promise<ImportRunList>;
  /** What the owner may do about the removals of a run. */
  readonly removals: Removals;
  /** Breaks off a run, for good; resolves once it has ended. */
  stop(): Promise<void>;
}

interface UnderWay {
  readonly request: ImportRequest;
  readonly base: string;
  readonly ending: Promise<ImportResult>;
  breakOff(): void;
  /** Does this once the aggregator has answered, or at once where it has. */
  onAnswer(accepted: () => Promise<void>): Promise<void>;
}

/** Makes the import from webmention.io, or from a server that speaks as it does (PROTOCOLS 8.6). */
export function createImport(options: ImportOptions): Import {
  const { store, fetch, aggregatorUrl, now, events, log } = options;
  let state: ReturnType<typeof openImportState> | undefined;
  let underWay: UnderWay | undefined;
  let isStopped = false;

  let openRuns: Promise<ImportRunList> | undefined;

  /** A failure is not kept, because a file that cannot be opened now may open later. */
  function opened(): ReturnType<typeof openImportState> {
    state ??= openImportState(options);
    state.catch(() => (state = undefined));
    return state;
  }
  function runs(): Promise<ImportRunList> {
    openRuns ??= openImportRuns(options);
    openRuns.catch(() => (openRuns = undefined));
    return openRuns;
  }

  async function run(
    { token, full = false, fullAfterMs = Infinity, domain }: ImportRequest,
    base: string,
    signal: AbortSignal,
    answered: () => Promise<void>,
  ): Promise<ImportResult> {
    const tally = createTally(now, (progress) => events.progress(progress));
    tally.start();
    const paused = options.pause ?? ((ms: number) => wait(ms, undefined, { signal }).catch(() => undefined));
    const begun = newRun(now());
    let newIsHere = false;
    try {
      const state = await opened();
      const known = await runs();
      // The token goes in as a hash: what is of one account says nothing of another.
      const origin = hashOf([base, token, domain ?? ''].join('\n'));
      const isLater = state.data.origin === origin && state.data.lastFullRun !== undefined;
      const deps: RunDeps = {
        store,
        tally,
        now,
        log,
        domain,
        removing: (ids) => known.keep({ ...begun, removed: [...ids] }),
        aggregator: telling(createAggregator({ fetch, base, token, signal, pause: paused }), answered),
        state,
        origin,
        statusOf: (source) => options.statusOf(source, isLater),
      };
      if (full || !isLater) await fullRun(deps);
      else {
        // First what is new: a comparison that can not come to its end must not stand in its way.
        await incrementalRun(deps);
        newIsHere = true;
        if (mustBeCompared(deps, fullAfterMs)) await fullRun(deps);
      }
      const done = { ...begun, ...tally.result() };
      if (full || isNotable(done)) await known.keep(done);
      tally.done();
      return { ...tally.counts(), ...removalsOf(done) };
    } catch (error) {
      if (!(error instanceof AggregatorError)) {
        const failure = diskFailure(error, options.dir, tally.counts());
        tally.failed(
          failure instanceof PorchlightError
            ? failure.message
            : 'Porchlight could not save the mentions on this computer.',
        );
        throw failure;
      }
      log.warn({ err: error.cause, reason: error.reason }, 'The import was broken off.');
      const broken = newIsHere
        ? `New mentions are here. Porchlight could not check for deleted ones. ${error.message}`
        : error.message;
      tally.failed(broken);
      const refused = error.reason === 'refused';
      return { ...tally.counts(), broken, ...(refused && { refused }) };
    } finally {
      const words = tally.comparison();
      if (words !== undefined) events.compared(words);
      const full = tally.fullPages();
      if (full !== undefined) {
        log.warn(full);
        events.leftOut(full);
      }
    }
  }

  function begin(request: ImportRequest): UnderWay {
    const breaking = new AbortController();
    const waiting = request.accepted ? [request.accepted] : [];
    let hasAnswered = false;
    const base = aggregatorUrl();
    const ending = run(request, base, breaking.signal, async () => {
      hasAnswered = true;
      for (const accepted of waiting.splice(0)) await accepted();
    }).finally(() => (underWay = undefined));
    return {
      request,
      base,
      ending,
      breakOff: () => breaking.abort(),
      async onAnswer(accepted) {
        if (hasAnswered) await accepted();
        else waiting.push(accepted);
      },
    };
  }

  return {
    async run(request) {
      while (!isStopped) {
        if (underWay === undefined) {
          underWay = begin(request);
          return underWay.ending;
        }
        const current = underWay;
        if (doesTheSame(current, request, aggregatorUrl())) {
          if (request.accepted) await current.onAnswer(request.accepted);
          return current.ending;
        }
        // What nobody asked for gives way.
        if (current.request.full !== true) current.breakOff();
        await current.ending.catch(() => undefined);
      }
      return { ...createTally(now, () => undefined).counts(), broken: 'Porchlight is closing.' };
    },
    runs,
    removals: createRemovals(store, runs),
    async stop() {
      isStopped = true;
      underWay?.breakOff();
      await underWay?.ending.catch(() => undefined);
    },
  };
}

/** True where a run does what is asked for, of the same mentions. */
function doesTheSame({ request, base }: UnderWay, wanted: ImportRequest, wantedBase: string): boolean {
  const isOfTheSame =
    base === wantedBase && request.token === wanted.token && request.domain === wanted.domain;
  return isOfTheSame && (request.full === true || wanted.full !== true);
}

/** An aggregator that says when it has given its first page. */
function telling(aggregator: Aggregator, answered: () => Promise<void>): Aggregator {
  let told = false;
  return {
    async page(...asked) {
      const records = await aggregator.page(...asked);
      if (records !== null && !told) {
        told = true;
        await answered();
      }
      return records;
    },
  };
}

/** One that was broken off goes on, and one that was long ago is repeated. */
function mustBeCompared({ state, now }: RunDeps, afterMs: number): boolean {
  const { broken, lastFullRun = '' } = state.data;
  return broken !== undefined || now() - Date.parse(lastFullRun) > afterMs;
}
