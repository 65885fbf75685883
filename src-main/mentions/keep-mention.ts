import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Mention, SourceFacts } from './mention.ts';
import { fittedMention } from './mention-size.ts';
import type { Kept, KeepOptions, NewMention } from './mention-store.ts';
import type { MentionWrites } from './mention-writes.ts';
import { newMention, renewed } from './moderation.ts';

interface Fresh {
  /** The current time, in ISO 8601. */
  readonly now: string;
  readonly newId: () => string;
  /**
   * Returns the `wm-id` for a mention: `wanted` if it is defined, otherwise a number above all numbers used so far.
   * Also records that the number is used.
   */
  readonly number: (wanted: number | undefined) => number;
}

/**
 * Adds a mention, or updates the mention with the same source and target. Returns undefined if the target
 * page has no space for the mention.
 */
export function keepMention(
  writes: Pick<MentionWrites, 'leader' | 'find' | 'roomFor' | 'put'>,
  given: NewMention,
  { most = Infinity, onlyNew = false }: KeepOptions,
  { now, newId, number }: Fresh,
): Kept | undefined {
  // Removes properties whose value is undefined, because stored facts have no such properties. Otherwise, equal facts
  // would count as changed.
  const read = { ...given, facts: JSON.parse(JSON.stringify(given.facts)) as SourceFacts };
  const leader = writes.leader(read);
  const wanted = onlyNew ? read : withApproval(read, leader);
  const standing = leader === undefined ? 'only' : 'leads';
  const before = writes.find(wanted.source, wanted.target);
  if (onlyNew && before !== undefined) return { mention: before, outcome: 'unchanged', standing };
  const room = Math.min(most, writes.roomFor(wanted, before));
  if (before === undefined) {
    const mention = fittedMention(newMention(wanted, wanted.id ?? newId(), number(wanted.wmId), now), room);
    if (mention === undefined) return undefined;
    writes.put(mention);
    return { mention, outcome: 'added', standing };
  }
  if (wanted.wmId !== undefined) number(wanted.wmId);
  const kept = renewed(before, wanted, now, room);
  if (!isDeepStrictEqual(kept.mention, before)) writes.put(kept.mention);
  return { ...kept, standing };
}

/**
 * Returns a mention with the status of `leader` if that is approved and comes from the same source. The owner has
 * approved what the source says about this page, so another spelling of the page's URL needs no new approval.
 */
function withApproval(wanted: NewMention, leader: Mention | undefined): NewMention {
  const isSame = leader?.source === wanted.source && leader.status === 'approved';
  if (!isSame || wanted.status !== 'held') return wanted;
  const { admission, ...rest } = wanted;
  const reason = leader.admission ?? admission;
  return { ...rest, status: 'approved', ...(reason !== undefined && { admission: reason }) };
}

/**
 * Returns the result of `keepMention` once all mentions of the same change are stored. `isLeading`: whether the mention represents its source.
 */
export const settledKept = (kept: Kept, isLeading: boolean): Kept =>
  isLeading ? kept : { ...kept, standing: 'outranked' };

export const pageFull = () =>
  new PorchlightError(
    'page_full',
    'This page has reached its limit of mentions, in total or from this site.',
    503,
  );
