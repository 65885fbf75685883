import { type Static, Type } from 'typebox';
import { closed } from '../../contract/shapes.ts';
import type { Clock } from '../../platform/clock.ts';
import { createCrowdLimits } from '../../platform/crowd-limits.ts';
import { newSecretText } from '../../platform/secrets.ts';
import { hostOf, siteOfHost } from '../../platform/site-name.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { Cell } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import type { DefinedWork, NewWork, WorkEntry } from '../../storage/work/work-kind.ts';
import { cutWords, receivedInRow, type ReceivedMention } from './received-mentions.ts';

/** What the queue of work has about a mention that waits to be checked. Its key is the mention's token. */
export const MentionToCheck = closed({ source: Type.String(), target: Type.String() });
export type MentionToCheck = Static<typeof MentionToCheck>;

/** A mention that is waiting to be checked. */
interface Queued {
  readonly kind: 'queued';
  readonly entry: ReceivedMention;
  /** Whether this server had already received this mention. Such a mention is not checked again. */
  readonly isKnown: boolean;
}

/** The result of receiving a mention. */
export type Receipt =
  | Queued
  /** Too many mentions wait: of everyone, of the site of the source, or of the sender of the mention. */
  | { readonly kind: 'full'; readonly of: 'all' | 'site' | 'visitor' };

export interface NewMentionPair {
  readonly source: string;
  readonly target: string;
  /** The sender's network; absent if the mention did not come through the tunnel. */
  readonly visitor?: string | undefined;
  /**
   * When the mailbox received the mention, in ms. If the mention is here already with the same `arrived`, nothing
   * changes.
   */
  readonly arrived?: number | undefined;
}

export interface QueueLimits {
  /** The maximum number of waiting mentions. */
  readonly waiting: number;
  /** The maximum number of settled mentions to keep. */
  readonly settled: number;
}

const defaultLimits: QueueLimits = { waiting: 10_000, settled: 2_000 };
/** How long senders can look up the status of their mentions, in ms: three days. */
const memoryMs = 3 * 86_400_000;
/** The time after a check during which the mention isn't checked again, in ms. */
export const restMs = 30_000;
const receivedAtOnce = 500;

const moment = (at: number): string => new Date(at).toISOString();

type WaitingSenders = ReturnType<typeof createWaitingSenders>;

/** Creates the counts of the waiting mentions of each site and each sender. Senders are kept only in memory. */
export function createWaitingSenders({ waiting }: Pick<QueueLimits, 'waiting'> = defaultLimits) {
  const limits = createCrowdLimits<QueueParty>(waiting, (party) =>
    party === `visitor ${nearby}` ? waiting / 2 : undefined,
  );
  /** By token: whom a waiting mention counts for, and its sender; undefined if unknown. */
  const counted = new Map<string, { parties: readonly QueueParty[]; visitor: string | undefined }>();
  return {
    /** Returns which limit another mention would exceed; undefined if there is room for it. */
    crowd(source: string, visitor: string): 'all' | 'site' | 'visitor' | undefined {
      const crowd = limits.crowd(partiesOfSite(siteOf(source), visitor));
      if (crowd === undefined || crowd === 'all') return crowd;
      return crowd.startsWith('site ') ? 'site' : 'visitor';
    },
    add(token: string, site: string, visitor?: string): void {
      if (counted.has(token)) return;
      const parties = partiesOfSite(site, visitor);
      counted.set(token, { parties, visitor });
      limits.change(parties, 1);
    },
    drop(token: string): void {
      const known = counted.get(token);
      if (known) limits.change(known.parties, -1);
      counted.delete(token);
    },
    /** Returns the network that sent a mention; undefined if unknown, or if it didn't come through the tunnel. */
    visitorOf(token: string): string | undefined {
      const visitor = counted.get(token)?.visitor;
      return visitor === nearby ? undefined : visitor;
    },
  };
}

interface QueueOptions {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly work: Pick<DefinedWork<MentionToCheck>, 'addIn' | 'addMissingIn' | 'entry' | 'find'>;
  readonly senders: WaitingSenders;
  readonly clock: Clock;
  /** Called for each mention that somebody sends, also if it is refused. */
  readonly reached?: () => void;
  readonly limits?: Pick<QueueLimits, 'settled'>;
}

/** The door to the queue: mentions come in and wait to be checked, and their senders ask what became of them. */
export class MentionQueue {
  readonly #options: QueueOptions;
  readonly #limits: NonNullable<QueueOptions['limits']>;
  #receipts = 0;
  readonly #now: Pick<Transaction, 'rows'>;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
    this.#now = {
      rows: (sql: string, ...cells: readonly Cell[]) =>
        this.#options.records.rows((row) => row, sql, ...cells),
    };
  }

  /**
   * Receives a mention; resolves once it is on disk. If the same source and target are sent again, they keep a single
   * entry (WR-5). If they were checked less than 30 s ago, they are checked once more after these 30 s. If the queue
   * is full, only mentions that wait already are accepted, and none of them is dropped.
   * @throws PorchlightError as Records.write does
   */
  async receive(pair: NewMentionPair): Promise<Receipt> {
    const { source, visitor = nearby, arrived } = pair;
    this.#options.reached?.();
    const crowdNow = this.#options.senders.crowd(source, visitor);
    // A flood of mentions for which there is no room must not become a flood of writes.
    if (crowdNow !== undefined && this.#stored(pair, this.#now)?.state !== 'waiting')
      return { kind: 'full', of: crowdNow };
    let added: string | undefined;
    try {
      return await this.#options.records.write((transaction): Receipt => {
        const before = this.#stored(pair, transaction);
        if (before && arrived !== undefined && Date.parse(before.received) === arrived)
          return { kind: 'queued', entry: before, isKnown: true };
        const isWaiting = before?.state === 'waiting';
        const crowd = isWaiting ? undefined : this.#options.senders.crowd(source, visitor);
        if (crowd !== undefined) return { kind: 'full', of: crowd };
        this.#forgetOld(transaction);
        const token = before?.token ?? newSecretText();
        const entry = this.#put(transaction, pair, before, token);
        if (!isWaiting) {
          added = token;
          this.#options.senders.add(token, siteOf(source), visitor);
        }
        return { kind: 'queued', entry, isKnown: false };
      });
    } catch (error) {
      if (added !== undefined && this.#options.work.entry(added) === undefined)
        this.#options.senders.drop(added);
      throw error;
    }
  }

  /** Returns the mention with a status page; undefined if there is none, or if it was settled too long ago. */
  byToken(token: string): ReceivedMention | undefined {
    return this.#options.records
      .rows(
        receivedInRow,
        "SELECT * FROM received_mentions WHERE token = ? AND (state = 'waiting' OR tried >= ?)",
        token,
        moment(this.#options.clock() - memoryMs),
      )
      .at(0);
  }

  /** Adds the work for waiting mentions that have none, as after a restore. Resolves once it is on disk. */
  async resume(): Promise<void> {
    for (;;) {
      const missing = this.#options.records.rows(
        receivedInRow,
        `SELECT * FROM received_mentions WHERE state = 'waiting'
             AND NOT EXISTS (SELECT 1 FROM work WHERE kind = ? AND key = token) LIMIT ${receivedAtOnce}`,
        mentionWork,
      );
      if (missing.length === 0) return;
      await this.#options.records.write((transaction) => {
        for (const one of missing)
          this.#options.work.addMissingIn(transaction, workOf(one, this.#options.clock()));
      });
    }
  }

  #stored({ source, target }: NewMentionPair, { rows }: Pick<Transaction, 'rows'>) {
    return rows('SELECT * FROM received_mentions WHERE source = ? AND target = ?', source, target).map(
      receivedInRow,
    )[0];
  }

  /**
   * Returns the time at which to check a mention that was just sent, in ms since the epoch: now, or `restMs` after a
   * recent check.
   */
  #dueOf(before: ReceivedMention | undefined, at: number): number {
    const rest = before?.tried === undefined ? 0 : Date.parse(before.tried) + restMs - at;
    // If the clock was set back, limit the wait to `restMs`.
    return at + Math.min(Math.max(rest, 0), restMs);
  }

  /** Removes settled mentions whose status nobody can look up: with the first mention, and with each hundredth. */
  #forgetOld({ run }: Transaction): void {
    this.#receipts += 1;
    if (this.#receipts % 100 !== 1) return;
    run(
      `DELETE FROM received_mentions WHERE token IN (
        SELECT token FROM received_mentions WHERE state <> 'waiting' AND tried < ? LIMIT ${receivedAtOnce})`,
      moment(this.#options.clock() - memoryMs),
    );
    run(
      `DELETE FROM received_mentions WHERE token IN (
        SELECT token FROM received_mentions WHERE state <> 'waiting' ORDER BY tried DESC LIMIT ${receivedAtOnce} OFFSET ?)`,
      this.#limits.settled,
    );
  }

  /** Adds a mention, or notes that it was sent again. Returns the mention as it is then. */
  #put(
    transaction: Transaction,
    { source, target, arrived }: NewMentionPair,
    before: ReceivedMention | undefined,
    token: string,
  ): ReceivedMention {
    const at = this.#options.clock();
    const due = this.#dueOf(before, at);
    const waiting = before?.state === 'waiting' ? this.#options.work.entry(token) : undefined;
    const isNew = before?.state !== 'waiting';
    const entry: ReceivedMention = {
      token,
      source,
      target,
      state: 'waiting',
      received: isNew || arrived !== undefined ? moment(arrived ?? at) : before.received,
      tried: isNew && due === at ? undefined : before?.tried,
      words: isNew ? undefined : before.words,
    };
    transaction.run(
      `INSERT OR REPLACE INTO received_mentions (token, source, target, received, state, tried, words)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      token,
      source,
      target,
      entry.received,
      entry.state,
      entry.tried ?? null,
      entry.words ?? null,
    );
    // If it is being checked right now, the new work makes sure that it is checked once more.
    const isSooner = waiting !== undefined && due > at && waiting.due <= due;
    if (!isSooner) this.#options.work.addIn(transaction, workOf(entry, due, waiting));
    return entry;
  }
}

/** The name of the work that checks a mention. */
export const mentionWork = 'mention';

function workOf(
  { token, source, target }: ReceivedMention,
  due: number,
  before?: WorkEntry,
): NewWork<MentionToCheck> {
  const { tries = 0, early = 0 } = before ?? {};
  const host = hostOf(new URL(source));
  return { key: token, host, party: siteOfHost(host), payload: { source, target }, due, tries, early };
}

/** Notes what became of a mention, or why it will be tried again. */
export function noteState(
  { run }: Transaction,
  token: string,
  { state, at, words }: { state: ReceivedMention['state']; at: number; words?: string | undefined },
): void {
  run(
    'UPDATE received_mentions SET state = ?, tried = ?, words = ? WHERE token = ?',
    state,
    moment(at),
    words === undefined ? null : cutWords(words),
    token,
  );
}

/** A site or a sender with a limit on its waiting mentions: the site of the source, or the network that sent it. */
type QueueParty = `${'site' | 'visitor'} ${string}`;

/**
 * The name of all senders that don't come through the tunnel. They count as one sender, because they may share one
 * reverse proxy, so that sender may have half of the queue.
 */
const nearby = 'nearby';

const siteOf = (source: string): string => siteOfHost(hostOf(new URL(source)));

/**
 * Returns the site and the sender of a mention. If both have reached their limits, the first one in the returned list
 * is reported as the reason.
 */
function partiesOfSite(name: string, visitor: string | undefined): QueueParty[] {
  if (visitor === undefined) return [`site ${name}`];
  const parties: QueueParty[] = [`site ${name}`, `visitor ${visitor}`];
  return visitor === nearby ? parties.reverse() : parties;
}
