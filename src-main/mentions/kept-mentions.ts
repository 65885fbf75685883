import { isDeepStrictEqual } from 'node:util';
import { jsonLength } from '../storage/json-value.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { fittedMention } from './mention-limits.ts';
import type { MentionWrites } from './mention-writes.ts';
import type { Mention, NewMention, SourceFacts } from './mention.ts';
import { type KeptOfMany, newMention, renewed } from './moderation.ts';

/** A size limit for a mention. */
export interface KeepOptions {
  /**
   * The maximum size of the mention in bytes of JSON, without the history. Applies only if it is below the limit for
   * all mentions (see mention-limits.ts).
   */
  readonly most?: number;
  /**
   * Leaves existing mentions unchanged, and gives new ones exactly the status in NewMention. An import whose content
   * nobody has verified can't take over what the owner approved from the same source.
   */
  readonly onlyNew?: boolean;
  /**
   * Returns what to store if `before` has the same source and target; undefined to leave it as it is. Must be
   * synchronous.
   */
  readonly revise?: (incoming: NewMention, before: Mention) => NewMention | undefined;
  /** Makes other changes in the transaction that stores the mention. */
  readonly also?: (transaction: Transaction) => void;
}

/** A mention after it was stored alone. */
export interface Kept extends KeptOfMany {
  /**
   * How the mention relates to the other mentions from its source on its page. `only`: there are no others. `leads`: it
   * represents the source now. `outranked`: another one represents the source, so this one isn't shown.
   */
  readonly standing: 'only' | 'leads' | 'outranked';
}

/** The maximum number of new mentions in one transaction, and their total size in characters: about 30 ms of work. */
const keptAtOnce = 250;
const writeCharacters = 512 * 1024;

/** Yields new mentions in batches, one for each transaction. */
export function* batchesOf(given: readonly NewMention[]): Generator<NewMention[]> {
  let batch: NewMention[] = [];
  let characters = 0;
  for (const one of given) {
    batch.push(one);
    characters += jsonLength(one);
    if (batch.length < keptAtOnce && characters < writeCharacters) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

interface Fresh {
  /** The current time, in ISO 8601. */
  readonly now: string;
  readonly newId: () => string;
  /**
   * Returns the `wm-id` for a mention: `requested` if it is defined, otherwise a number above all numbers used so far.
   * Also records that the number is used.
   */
  readonly number: (requested: number | undefined) => number;
}

/**
 * Adds a mention, or updates the mention with the same source and target. Returns undefined if the target
 * page has no space for the mention.
 */
export function keepMention(
  writes: Pick<MentionWrites, 'leader' | 'find' | 'roomFor' | 'add' | 'put'>,
  given: NewMention,
  { most = Infinity, onlyNew = false, revise }: KeepOptions,
  { now, newId, number }: Fresh,
): KeptOfMany | undefined {
  const before = writes.find(given.source, given.target);
  const revised = before && (onlyNew ? undefined : revise ? revise(given, before) : given);
  if (before && revised === undefined) return { mention: before, outcome: 'unchanged' };
  const read = revised ?? given;
  const complete = { ...read, facts: storedFacts(read.facts) };
  const incoming = onlyNew || read.status !== 'held' ? complete : withApproval(complete, writes.leader(read));
  const room = Math.min(most, writes.roomFor(incoming, before));
  if (before === undefined) {
    const mention = fittedMention(
      newMention(incoming, incoming.id ?? newId(), number(incoming.wmId), now),
      room,
    );
    if (mention === undefined) return undefined;
    // A new id is nobody else's.
    return {
      mention: incoming.id === undefined ? writes.add(mention) : writes.put(mention),
      outcome: 'added',
    };
  }
  if (incoming.wmId !== undefined) number(incoming.wmId);
  const { mention, outcome } = renewed(before, incoming, now, room);
  return { mention: isDeepStrictEqual(mention, before) ? mention : writes.put(mention), outcome };
}

/**
 * Returns facts without properties whose value is undefined, because stored facts have no such properties. Otherwise,
 * equal facts would count as changed.
 */
function storedFacts(facts: SourceFacts): SourceFacts {
  const isComplete = (value: unknown): boolean =>
    typeof value === 'object' && value !== null
      ? Object.values(value).every(isComplete)
      : value !== undefined;
  return isComplete(facts) ? facts : (JSON.parse(JSON.stringify(facts)) as SourceFacts);
}

/**
 * Returns a mention with the status of `leader` if that is approved and comes from the same source. The owner has
 * approved what the source says about this page, so another spelling of the page's URL needs no new approval.
 */
function withApproval(incoming: NewMention, leader: Mention | undefined): NewMention {
  if (leader?.source !== incoming.source || leader.status !== 'approved') return incoming;
  const { admission, ...rest } = incoming;
  const reason = leader.admission ?? admission;
  return { ...rest, status: 'approved', ...(reason !== undefined && { admission: reason }) };
}
