import type { Common } from '../../http/common.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, PorchlightError } from '../../contract/error.ts';
import type { ImportCounts, ImportProgress } from '../../contract/mention-import.ts';
import type { MentionStatus } from '../../contract/webmentions.ts';
import { secretHash } from '../../platform/secrets.ts';
import type { Records } from '../../storage/records/records.ts';
import { errorCode, writeFailure } from '../../storage/storage-error.ts';
import type { MentionStore } from '../mention-store.ts';
import type { NewMention } from '../mention.ts';
import { AggregatorError, aggregatorReader } from './aggregator.ts';
import {
  createImportRuns,
  createImportState,
  createTally,
  type ImportRunList,
  isNotable,
  newRun,
  removalsOf,
} from './import-runs.ts';
import { createRemovals, type Removals } from './removals.ts';
import { fullRun, incrementalRun, type RunDeps } from './runs.ts';

interface ImportOptions extends Pick<Common, 'fetch' | 'log'> {
  /** The folder with the webmentions, for error messages. */
  readonly dir: string;
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly store: MentionStore;
  /** Returns the aggregator's URL from the settings, such as `https://webmention.io`. */
  readonly aggregatorUrl: () => string;
  /** Returns the status for a new mention. `isLater`: whether the mention arrived after the account's first import. */
  readonly statusOf: (
    mention: Pick<NewMention, 'source' | 'facts'>,
    isLater: boolean,
  ) => Promise<MentionStatus>;
  readonly now: () => number;
  readonly events: {
    progress(progress: ImportProgress): void;
    /** Reports that mentions missing at the aggregator were removed or kept. `words`: the message for the owner. */
    compared(words: string): void;
    /**
     * Reports that some mentions were not imported because their target pages have reached their limit of mentions.
     * `words`: the message for the owner.
     */
    leftOut(words: string): void;
  };
  /** Waits for `ms` milliseconds between two attempts. By default, uses a real timer. */
  readonly pause?: (ms: number) => Promise<void>;
}

interface ImportRequest {
  /** The account's token at the aggregator. */
  readonly token: string;
  /**
   * Whether to read all mentions again and find those that the aggregator no longer lists. If false, reads only new and
   * changed mentions.
   */
  readonly full?: boolean;
  /**
   * The maximum age of the last full run, in ms. If that run is older, this run reads the new mentions first, and then
   * all mentions. If many mentions are missing at the aggregator, the owner decides whether to remove them.
   */
  readonly fullAfterMs?: number;
  /** The site whose mentions to import; all of the account's sites if absent. */
  readonly domain?: string;
  /**
   * Called once the aggregator has returned its first list of mentions, which shows that it accepts the token. If this
   * function throws, the run ends.
   */
  readonly accepted?: () => Promise<void>;
}

interface ImportResult extends ImportCounts {
  /**
   * Why the run didn't finish, as text for the owner. The mentions imported so far are kept, and the next run continues
   * from there.
   */
  readonly broken?: string;
  /** Whether the aggregator rejected the token, so that the owner has to enter a new one. */
  readonly refused?: boolean;
}

interface UnderWay {
  readonly request: ImportRequest;
  readonly base: string;
  readonly ending: Promise<ImportResult>;
  breakOff(): void;
  /** Calls `accepted` once the aggregator has returned a list of mentions, or immediately if it already has. */
  onAnswer(accepted: () => Promise<void>): Promise<void>;
}

/** The import from webmention.io or from a compatible server (PROTOCOLS 8.6). */
export class MentionImport {
  readonly #options: ImportOptions;
  /** Applies or undoes the removals of a run at the owner's request. */
  readonly removals: Removals;
  readonly #state: ReturnType<typeof createImportState>;
  /** The record of the last runs. */
  readonly runs: ImportRunList;
  #underWay: UnderWay | undefined;
  #isStopped = false;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#state = createImportState(this.#options.records);
    this.runs = createImportRuns(this.#options.records);
    this.removals = createRemovals(this.#options.store, this.runs);
  }

  /**
   * Imports from the aggregator. If a run for the same account and site is in progress, joins that run, but a request
   * for a full run joins only a full run. A request that can't join starts a new run. The new run first interrupts the
   * run in progress or, if that run was requested as a full run, waits until it has finished. After `stop`, imports
   * nothing, and only reports that Porchlight is closing.
   * @throws PorchlightError `storage_*` if the mentions cannot be saved.
   */
  async run(request: ImportRequest): Promise<ImportResult> {
    while (!this.#isStopped) {
      if (this.#underWay === undefined) {
        this.#underWay = this.#begin(request);
        return this.#underWay.ending;
      }
      const current = this.#underWay;
      if (doesTheSame(current, request, this.#options.aggregatorUrl())) {
        if (request.accepted) await current.onAnswer(request.accepted);
        return current.ending;
      }
      // A full run is allowed to finish. Any other run is interrupted.
      if (current.request.full !== true) current.breakOff();
      await current.ending.catch(() => undefined);
    }
    return { ...createTally(this.#options.now, () => undefined).counts(), broken: 'Porchlight is closing.' };
  }

  /** Interrupts the current run and prevents further ones; resolves once the run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#underWay?.breakOff();
    await this.#underWay?.ending.catch(() => undefined);
  }

  async #run(
    { token, full = false, fullAfterMs = Infinity, domain }: ImportRequest,
    base: string,
    signal: AbortSignal,
    answered: () => Promise<void>,
  ): Promise<ImportResult> {
    const tally = createTally(this.#options.now, (progress) => this.#options.events.progress(progress));
    tally.start();
    const paused =
      this.#options.pause ?? ((ms: number) => wait(ms, undefined, { signal }).catch(() => undefined));
    const begun = newRun(this.#options.now());
    let newIsHere = false;
    try {
      // The token is part of the hash, because the state of one account doesn't apply to another account.
      const origin = secretHash([base, token, domain ?? ''].join('\n'));
      const isLater = this.#state.data.origin === origin && this.#state.data.lastFullRun !== undefined;
      const deps: RunDeps = {
        store: this.#options.store,
        tally,
        now: this.#options.now,
        log: this.#options.log,
        domain,
        removing: (ids) => this.runs.keep({ ...begun, removed: [...ids] }),
        readListing: aggregatorReader({
          fetch: this.#options.fetch,
          base,
          token,
          signal,
          pause: paused,
          answered,
        }),
        state: this.#state,
        origin,
        statusOf: (mention) => this.#options.statusOf(mention, isLater),
      };
      if (full || !isLater) await fullRun(deps);
      else {
        // A full run takes a long time and may fail, so read the new mentions first.
        await incrementalRun(deps);
        newIsHere = true;
        if (mustBeCompared(deps, fullAfterMs)) await fullRun(deps);
      }
      const done = { ...begun, ...tally.result() };
      if (full || isNotable(done)) await this.runs.keep(done);
      tally.done();
      return { ...tally.counts(), ...removalsOf(done) };
    } catch (error) {
      if (!(error instanceof AggregatorError)) {
        const failure = diskFailure(error, this.#options.dir, tally.counts());
        tally.failed(
          failure instanceof PorchlightError
            ? failure.message
            : 'Porchlight could not save the mentions on this computer.',
        );
        throw failure;
      }
      this.#options.log.warn({ err: error.cause, reason: error.reason }, 'The import was broken off.');
      const broken = newIsHere
        ? `New mentions are here. Porchlight could not check for deleted ones. ${error.message}`
        : error.message;
      tally.failed(broken);
      const refused = error.reason === 'refused';
      return { ...tally.counts(), broken, ...(refused && { refused }) };
    } finally {
      const words = tally.comparison();
      if (words !== undefined) this.#options.events.compared(words);
      const full = tally.fullPages();
      if (full !== undefined) {
        this.#options.log.warn(full);
        this.#options.events.leftOut(full);
      }
    }
  }

  #begin(request: ImportRequest): UnderWay {
    const breaking = new AbortController();
    const waiting = request.accepted ? [request.accepted] : [];
    let hasAnswered = false;
    const base = this.#options.aggregatorUrl();
    const ending = this.#run(request, base, breaking.signal, async () => {
      hasAnswered = true;
      for (const accepted of waiting.splice(0)) await accepted();
    }).finally(() => (this.#underWay = undefined));
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
}

/** Returns whether a request can join a run in progress. */
function doesTheSame({ request, base }: UnderWay, requested: ImportRequest, requestedBase: string): boolean {
  const isOfTheSame =
    base === requestedBase && request.token === requested.token && request.domain === requested.domain;
  return isOfTheSame && (request.full === true || requested.full !== true);
}

/**
 * Returns whether it is time to check for mentions that the aggregator no longer lists, because the last check was
 * interrupted or is older than `afterMs`.
 */
function mustBeCompared({ state, now }: RunDeps, afterMs: number): boolean {
  const { broken, lastFullRun = '' } = state.data;
  return broken !== undefined || now() - Date.parse(lastFullRun) > afterMs;
}

/**
 * Converts a disk error during an import to an error that tells the owner why the import could not be saved, what was
 * imported so far, and what to do. Returns any other error unchanged. `dir`: the folder with the webmentions.
 */
function diskFailure(error: unknown, dir: string, { imported, updated }: ImportCounts): unknown {
  // Some writes fail with the system's own error instead of a PorchlightError.
  const isSystems = !(error instanceof PorchlightError) && errorCode(error) !== undefined;
  const failure = isSystems ? writeFailure(dir, error) : error;
  if (!(failure instanceof PorchlightError)) return error;
  const why = reasons[failure.code];
  if (why === undefined) return error;
  const soFar = `Imported so far: ${imported.toLocaleString('en')} new, ${updated.toLocaleString('en')} changed.`;
  return new PorchlightError(failure.code, `${why[0]} ${soFar} ${why[1]}`, failure.status, { cause: error });
}

const reasons: Partial<Record<ErrorCode, readonly [why: string, advice: string]>> = {
  storage_full: [
    'The disk with your data is full.',
    'Free some space, then import again: Porchlight continues from there.',
  ],
  storage_unwritable: [
    'The folder with your data can’t be written to.',
    'Check the disk and the folder’s permissions, then import again: Porchlight continues from there.',
  ],
  storage_gone: [
    'The folder with your data is gone, or another folder is in its place.',
    'Connect its disk or put the folder back, then import again: Porchlight continues from there.',
  ],
  storage_busy: [
    'Too many files are open on this computer.',
    'Import again in a moment: Porchlight continues from there.',
  ],
};
