import type { ProcessCounts } from '../../contract/webmentions.ts';
import { createCostBudget } from '../../platform/cost-budget.ts';
import type { Log } from '../../platform/log.ts';
import { attemptsLeft, pauseAfter, scheduleOf } from '../../platform/retry-schedule.ts';
import type { Records } from '../../storage/records/records.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import type { Attempt, DefinedWork, Outcome, WorkEntry } from '../../storage/work/work-kind.ts';
import {
  createWaitingSenders,
  MentionToCheck,
  mentionWork,
  noteState,
  restMs,
  MentionQueue,
  type QueueLimits,
} from './queue.ts';
import type { ReadSource, SourceResult } from './read-source.ts';
import {
  applyReading,
  createVisitorRoom,
  type MentionVerdict,
  refusal,
  type SentPair,
  type VerificationDeps,
} from './verification.ts';

export interface WorkerDeps extends VerificationDeps {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly readSource: ReadSource;
  /** Called for each mention that somebody sends: this computer is connected. */
  readonly reached?: () => void;
  readonly limits?: QueueLimits;
  readonly log: Log;
}

export interface ProcessOptions {
  /** `processNow` resolves after this time, in ms, with the results so far. The run continues in the background. */
  readonly limitMs?: number;
  /**
   * How many times each mention may be tried before it is due; unlimited if absent. Only the owner's requests are
   * unlimited, because strangers could otherwise make this server contact a site endlessly.
   */
  readonly earlyTries?: number;
}

/**
 * How much reading time (ms) the sources of one site or of one sender may use: enough for twenty sources that hang
 * until they time out, and then for one source at a time. All sites and senders that have used up their time share a
 * few requests (see HostTurns).
 */
const readingTime = { burst: 200_000, perMinute: 60_000 };
/** The reading time (ms) to charge in advance for a source that is still being read: the time until the timeout. */
const longestReading = 10_000;
/** The maximum number of other sources to read again after one mention. They are on the same host. */
const mostDoubtful = 3;
const counted = ['approved', 'updated', 'removed', 'failed'] as const;
const isCounted = (note: string | undefined): note is (typeof counted)[number] =>
  counted.some((one) => one === note);
const hereWords = 'Something went wrong on this server. It will try again.';

/** Checks the mentions that wait. */
export class MentionWorker {
  /** Receives mentions, which then wait to be checked. */
  readonly queue: MentionQueue;
  readonly #options: WorkerDeps;
  readonly #budget: ReturnType<typeof createCostBudget>;
  readonly #visitorRoom: ReturnType<typeof createVisitorRoom>;
  readonly #senders: ReturnType<typeof createWaitingSenders>;
  readonly #work: DefinedWork<MentionToCheck>;

  constructor(options: WorkerDeps) {
    this.#options = options;
    this.#budget = createCostBudget({ ...readingTime, clock: this.#options.clock });
    this.#visitorRoom = createVisitorRoom(this.#options.clock);
    this.#senders = createWaitingSenders(this.#options.limits);
    this.#work = this.#options.work.defineWork({
      kind: mentionWork,
      payload: MentionToCheck,
      retries: scheduleOf('source'),
      run: (attempt) => this.#check(attempt),
      gaveUp: ({ key }, words) => ({
        also: (transaction, isCurrent) => {
          if (isCurrent) noteState(transaction, key, { state: 'failed', at: this.#options.clock(), words });
        },
      }),
      debtor: (entry) => this.#payers(entry).find((payer) => this.#budget.waitMs([payer]) > 0),
      began: (entry) => {
        const from = this.#options.clock();
        const parties = this.#payers(entry);
        this.#budget.charge(parties, longestReading);
        return () => this.#budget.charge(parties, Math.max(0, this.#options.clock() - from) - longestReading);
      },
      added: ({ key, party }) => this.#senders.add(key, party),
      removed: ({ key }) => this.#senders.drop(key),
    });
    this.queue = new MentionQueue({ ...this.#options, work: this.#work, senders: this.#senders });
  }

  /** Returns how many mentions wait to be checked. */
  waiting(): number {
    return this.#work.size;
  }

  /**
   * Tries every waiting mention once, even if it isn't due. Skips mentions that have reached `earlyTries`, and
   * mentions that were sent again shortly after a check. Resolves with the results. Joins a run in progress. An
   * attempt before the mention is due doesn't count as a failed attempt, unless reading the source takes too long.
   */
  async processNow({ limitMs, earlyTries = Infinity }: ProcessOptions = {}): Promise<ProcessCounts> {
    const outcomes = await this.#work.runNow({
      ...(limitMs !== undefined && { limitMs }),
      only: (entry) =>
        entry.due <= this.#options.clock() || (entry.early < earlyTries && !this.#rests(entry)),
    });
    const counts = { processed: outcomes.size, approved: 0, updated: 0, removed: 0, failed: 0 };
    for (const [token, outcome] of outcomes) {
      const note = outcome?.kind === 'done' ? outcome.note : outcome?.kind;
      if (this.#work.entry(token) === undefined && isCounted(note)) counts[note] += 1;
    }
    return { ...counts, waiting: this.#work.size };
  }

  /**
   * Returns the names to which a source's reading time is charged: its site and, if known, the sender of the mention,
   * who may have chosen a site that hangs.
   */
  #payers({ key, party }: WorkEntry): string[] {
    const visitor = this.#senders.visitorOf(key);
    return [...(visitor === undefined ? [] : [`visitor ${visitor}`]), `site ${party}`];
  }

  /** Reads a source, but not the former address of an imported comment, which always has a fragment. */
  async #read(...question: Parameters<ReadSource>): Promise<SourceResult> {
    const [source, target] = question;
    const known = source.includes('#') ? await this.#options.store.leader({ source, target }) : undefined;
    if (known?.comment) return { kind: 'failed', words: 'The owner imported this comment.', mayPass: false };
    return this.#options.readSource(...question);
  }

  /** Checks a mention: reads its source and applies the result. */
  async #check(attempt: Attempt<MentionToCheck>): Promise<Outcome<MentionToCheck>> {
    const { key, payload, signal } = attempt;
    const { source, target } = payload;
    const visitor = this.#senders.visitorOf(key);
    const reading =
      refusal(this.#options, { source }) ??
      (await untilStop(
        signal,
        this.#read(source, target, () => attempt.hasMore()),
      ));
    if (reading === undefined || signal.aborted) return { kind: 'failed', words: '', mayPass: true };
    let verdict: MentionVerdict;
    try {
      verdict = await this.#apply(attempt, { source, target, visitor }, reading);
    } catch (error) {
      this.#options.log.error({ err: error, source }, 'A mention could not be kept; it is tried again.');
      return this.#later(attempt, {
        words: hereWords,
        pauseMs: pauseAfter('sourceLater', 1),
        tries: attempt.tries,
      });
    }
    return this.#outcomeOf(attempt, verdict);
  }

  /** Applies a reading. Then reads the sources again that this makes doubtful, at most a few. */
  async #apply(
    attempt: Attempt<MentionToCheck>,
    pair: SentPair,
    reading: SourceResult,
  ): Promise<MentionVerdict> {
    const deps = { ...this.#options, visitorRoom: this.#visitorRoom };
    const { verdict, doubtful } = await applyReading(deps, pair, reading, (transaction) => {
      if (this.#work.find(attempt.key, transaction)?.seq !== attempt.seq) return;
      this.#work.cancelIn(transaction, attempt.key);
      noteState(transaction, attempt.key, { state: 'success', at: this.#options.clock() });
    });
    const again = [...doubtful];
    for (let turn = 0; turn < mostDoubtful; turn += 1) {
      const next = again.shift();
      if (next === undefined || attempt.signal.aborted) break;
      const { source, target } = next;
      const result = await untilStop(attempt.signal, this.#read(source, target));
      if (result === undefined) break;
      const applied = await applyReading(deps, { source, target, visitor: pair.visitor }, result);
      again.push(...applied.doubtful);
    }
    return verdict;
  }

  #outcomeOf(attempt: Attempt<MentionToCheck>, verdict: MentionVerdict): Outcome<MentionToCheck> {
    const { key, tries } = attempt;
    const at = this.#options.clock();
    if (verdict.kind !== 'failed') {
      const state = verdict.kind === 'removed' ? 'removed' : 'success';
      // The transaction that stored the mention has removed the work already.
      if (this.#work.entry(key)?.seq !== attempt.seq) return { kind: 'done', note: verdict.kind };
      return {
        kind: 'done',
        note: verdict.kind,
        also: (transaction, isCurrent) => {
          if (isCurrent) noteState(transaction, key, { state, at });
        },
      };
    }
    const { words, mayPass, wasSlow } = verdict;
    const left = attemptsLeft('source', tries + 1);
    // Each attempt to read a slow page delays other pages, so even an attempt before the mention was due counts.
    if (mayPass && wasSlow && left > 0)
      return this.#later(attempt, { words, pauseMs: pauseAfter('slowSource', 1), tries: tries + left });
    return {
      kind: 'failed',
      words,
      mayPass: mayPass && wasSlow !== true,
      also: (transaction, isCurrent) => {
        if (isCurrent) noteState(transaction, key, { state: 'waiting', at, words });
      },
    };
  }

  #later(
    { key }: Attempt<MentionToCheck>,
    { words, pauseMs = 0, tries }: { words: string; pauseMs: number | undefined; tries: number },
  ): Outcome<MentionToCheck> {
    const at = this.#options.clock();
    return {
      kind: 'later',
      at: at + pauseMs,
      tries,
      words,
      also: (transaction, isCurrent) => {
        if (isCurrent) noteState(transaction, key, { state: 'waiting', at, words });
      },
    };
  }

  /** Returns whether a mention was sent again shortly after a check. It is checked once more when it is due. */
  #rests({ due, tries, early }: WorkEntry): boolean {
    return tries === 0 && early === 0 && due > this.#options.clock() && due <= this.#options.clock() + restMs;
  }
}

/** Resolves like `reading`, or with undefined as soon as the queue stops: nothing can end a reading early. */
function untilStop<T>(signal: AbortSignal, reading: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
