import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Admission, Decision, MentionStatus } from '../contract/webmentions.ts';
import { fittedMention, mentionBytes, mostBytes } from './mention-limits.ts';
import { authorOf, isTakenBack, type Mention, type MentionEvent, type NewMention } from './mention.ts';

const longestHistory = 100;

/** The fields of a mention that a decision changes. */
export type Standing = Pick<Mention, 'status' | 'statusBefore' | 'chosen'>;

/** A decision by the owner about one mention, with enough data to undo it. */
export interface Decided {
  readonly id: string;
  readonly before: Standing;
  readonly after: Standing;
  /** The event that the decision added to the history; absent if it added none. */
  readonly event?: MentionEvent | undefined;
}

/**
 * Who makes a decision about a mention. `source`: this server, after reading the source. `aggregator`: the server from
 * which the mention was imported.
 */
export type Decider = 'owner' | 'source' | 'aggregator';

/** The result of a decision about many mentions. */
export interface DecidedAll {
  readonly changed: readonly { readonly mention: Mention; readonly decided: Decided }[];
  /** The number of mentions that could not be changed. */
  readonly refused: number;
}

/** A mention after it was stored, and what that changed. */
export interface KeptOfMany {
  readonly mention: Mention;
  readonly outcome: 'added' | 'updated' | 'unchanged';
}

/**
 * Returns the reason why a new mention is shown or held for approval. The owner's own mentions need no approval.
 * `isKnown`: whether the owner trusts the mention's site, or approved a mention by the same author from that site.
 */
export function admissionOf(
  hold: Settings['webmention']['hold'],
  { isOwn, isKnown }: { readonly isOwn: boolean; readonly isKnown: boolean },
): Admission {
  if (isOwn) return 'own';
  switch (hold) {
    case 'nothing':
      return 'open';
    case 'strangers':
      return isKnown ? 'known' : 'stranger';
    case 'everything':
      return 'closed';
  }
}

/** Returns the status of a new mention. `admission`: the reason why it is shown or held. */
export function statusOfNew(admission: Admission): MentionStatus {
  return admission === 'stranger' || admission === 'closed' ? 'held' : 'approved';
}

/** Creates a new mention. `now`: the current time in ISO 8601. */
export function newMention(incoming: NewMention, id: string, wmId: number, now: string): Mention {
  const { source, readAt, target, facts, status, admission } = incoming;
  const { parsed, private: isPrivate, imported, comment, snapshot, earlier = {} } = incoming;
  const { statusBefore, takenBack } = earlier;
  return {
    id,
    wmId,
    source,
    ...(readAt !== undefined && { readAt }),
    target,
    received: utcMoment(incoming.received) ?? now,
    parsed,
    facts,
    status,
    ...(statusBefore !== undefined && { statusBefore }),
    chosen: earlier.chosen ?? false,
    ...(admission && { admission }),
    ...(takenBack !== undefined && { takenBack }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    ...(comment && { comment }),
    ...(imported && { imported }),
    ...(snapshot && { snapshot }),
    history: earlier.history ?? [{ at: now, what: imported || comment ? 'imported' : 'received' }],
  };
}

/**
 * Updates a mention to match its source, after it was received or imported again (Webmention 3.2.4). A mention that the
 * owner deleted stays deleted. A mention that its source or the aggregator removed gets its previous status back. If
 * this server found that the source withdrew the mention, an aggregator can bring the mention back only with newer
 * data. Shortens the mention to `room` bytes, or to its previous size if that is larger. `now`: the current time in ISO
 * 8601.
 */
export function renewed(before: Mention, incoming: NewMention, now: string, room = mostBytes): KeptOfMany {
  const { private: isPrivate, imported, wmId, snapshot } = incoming;
  const { statusBefore, takenBack, readAt: readBefore, ...rest } = before;
  // An aggregator doesn't tell where a source redirects.
  const readAt = imported ? readBefore : incoming.readAt;
  const staysAway =
    imported !== undefined && takenBack !== undefined && Date.parse(incoming.parsed) <= Date.parse(takenBack);
  const returns = before.status === 'removed' && !staysAway;
  // Older data from an aggregator must not replace what this server has read from the source.
  const isOlder = imported !== undefined && Date.parse(incoming.parsed) < Date.parse(before.parsed);
  const { facts, parsed } = isOlder ? before : incoming;
  const whole: Mention = {
    ...rest,
    ...(readAt !== undefined && { readAt }),
    facts,
    parsed,
    // Programs that read from the aggregator identify an imported mention by the aggregator's number.
    ...(imported && wmId !== undefined && { wmId }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    ...(imported && { imported: { ...before.imported, ...imported } }),
    ...(snapshot && { snapshot }),
    ...(staysAway && { takenBack }),
    // Whoever names another author than the blocked one is somebody new.
    ...(before.blocked !== undefined && authorOf(before) !== authorOf({ facts }) && { blocked: 'held' }),
    ...(returns ? { status: statusBefore ?? 'approved' } : statusBefore !== undefined && { statusBefore }),
  };
  // If even the shortest version doesn't fit, the previous version stays.
  const mention = fittedMention(whole, Math.max(room, mentionBytes(before))) ?? before;
  const same =
    !returns &&
    !(before.status === 'deleted' && wasTakenAway(before) && !staysAway) &&
    isDeepStrictEqual(before.facts, mention.facts) &&
    isDeepStrictEqual(before.imported, mention.imported) &&
    before.wmId === mention.wmId &&
    before.private === mention.private;
  if (same) return { mention, outcome: 'unchanged' };
  return { mention: withEvent(mention, 'updated', now), outcome: 'updated' };
}

/**
 * Returns a mention with another status; the same object if nothing changes. The owner's decision takes precedence:
 * after it, only the source can still remove the mention. The owner can restore mentions that an aggregator dropped. `now`: the current time in ISO 8601.
 * @throws PorchlightError `removed_by_source` (409) if the owner tries to show a mention although this server found
 * that its source withdrew it; `blocked` (409) if its author or its site is blocked.
 */
export function withStatus(before: Mention, status: MentionStatus, by: Decider, now: string): Mention {
  if (by === 'source' && status === 'removed') return withdrawn(before, now);
  if (by === 'owner' && before.blocked !== undefined) {
    if (status === 'approved' || status === 'held') throw blockedHere();
    if (status === 'hidden') {
      const { blocked: _blocked, ...rest } = before;
      return withStatus(rest, status, by, now);
    }
  }
  const isSettled = before.status === 'deleted' || before.chosen;
  if (before.status === status || (by !== 'owner' && isSettled)) {
    return by === 'owner' && !before.chosen ? { ...before, chosen: true } : before;
  }
  const goes = isAway(status);
  if (by === 'owner' && !goes && isGone(before) && isTakenBack(before)) throw removedBySource();
  const { statusBefore, wasShown: _wasShown, ...rest } = before;
  const remembered = isAway(before.status) ? statusBefore : before.status;
  const mention: Mention = {
    ...rest,
    status,
    chosen: before.chosen || by === 'owner',
    ...(goes && remembered !== undefined && { statusBefore: remembered }),
  };
  return withEvent(mention, by === 'aggregator' && status === 'removed' ? 'dropped' : status, now);
}

/**
 * Records this server's finding that the source was deleted or no longer links to the target. A mention that the owner
 * deleted stays deleted.
 */
function withdrawn(before: Mention, now: string): Mention {
  const mention: Mention = { ...before, takenBack: now };
  if (isGone(before) && isTakenBack(before)) return before.takenBack === now ? before : mention;
  // Restoring the mention must not show it again, so the history records the withdrawal.
  if (isAway(before.status)) return withEvent(mention, 'removed', now);
  return withEvent({ ...mention, status: 'removed', statusBefore: before.status }, 'removed', now);
}

/**
 * Returns a deleted mention with its previous status, or with the status `removed` if the source withdrew it or the
 * aggregator dropped it. Returns any other mention unchanged. `now`: the current time in ISO 8601.
 */
export function restored(before: Mention, now: string): Mention {
  if (before.status !== 'deleted') return before;
  const { statusBefore = 'approved', ...rest } = before;
  if (wasTakenAway(before)) return withEvent({ ...rest, status: 'removed', statusBefore }, 'restored', now);
  return withEvent({ ...rest, status: statusBefore }, 'restored', now);
}

/** Returns a mention that a repair of the database has held as it was before. Returns any other mention unchanged. */
export function shownAgain(before: Mention, now: string): Mention {
  if (before.status !== 'held' || before.wasShown !== true) return before;
  const { wasShown: _wasShown, ...rest } = before;
  return withEvent({ ...rest, status: 'approved' }, 'approved', now);
}

/** Returns a time as ISO 8601 in UTC, as the API contract requires. Returns undefined if the time is invalid. */
function utcMoment(text = ''): string | undefined {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const moment = new Date(at).toISOString();
  if (!/^\d{4}-/.test(moment)) return undefined; // a year with more than four digits
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text) ? text : moment;
}

/**
 * Returns whether the source has withdrawn the mention, or the aggregator has dropped it. Ignores whether the owner
 * deleted or restored the mention.
 */
function wasTakenAway({ takenBack, history }: Mention): boolean {
  const last = history.findLast(({ what }) => what !== 'deleted' && what !== 'restored')?.what;
  return takenBack !== undefined || last === 'removed' || last === 'dropped';
}

/** Returns whether a mention has the status `removed`, or is deleted and would get this status when it is restored. */
function isGone(mention: Mention): boolean {
  return mention.status === 'removed' || (mention.status === 'deleted' && wasTakenAway(mention));
}

/**
 * Returns a mention as it counts now. While its author or a site of it is blocked, it is hidden. When they are
 * unblocked, it gets its status back.
 */
export function underBlocks(mention: Mention, isBlocked: boolean): Mention {
  const { blocked, ...rest } = mention;
  const { status, statusBefore } = mention;
  if (isBlocked)
    return status === 'approved' || status === 'held'
      ? { ...rest, status: 'hidden', blocked: status }
      : mention;
  if (blocked === undefined) return mention;
  if (status === 'hidden') return { ...rest, status: blocked };
  return statusBefore === 'hidden' ? { ...rest, statusBefore: blocked } : rest;
}

function blockedHere(): PorchlightError {
  return new PorchlightError(
    'blocked',
    'You blocked the author or the site of this mention. Unblock them in Settings to show it.',
    409,
  );
}

function removedBySource(): PorchlightError {
  return new PorchlightError(
    'removed_by_source',
    'The other page no longer mentions yours, so this mention stays removed. It returns when that page mentions yours again.',
    409,
  );
}

const isAway = (status: MentionStatus) => status === 'deleted' || status === 'removed';

function withEvent(mention: Mention, what: MentionEvent['what'], at: string): Mention {
  return { ...mention, history: [...mention.history, { at, what }].slice(-longestHistory) };
}

/**
 * Returns the mention after the owner's decision. The decision `restored` also brings back a mention that webmention.io
 * no longer lists. `now`: the current time in ISO 8601.
 * @throws PorchlightError `removed_by_source` (409) if the source withdrew the mention.
 */
export function decided(before: Mention, decision: Decision, now: string): Mention {
  if (decision !== 'restored') return withStatus(before, decision, 'owner', now);
  if (before.status === 'removed' && !isTakenBack(before))
    return withStatus(before, before.statusBefore ?? 'approved', 'owner', now);
  return restored(before, now);
}

/** Returns the data that `undone` needs to undo the change from `before` to `after`. */
export function decisionBetween(before: Mention, after: Mention): Decided {
  const event = after.history === before.history ? undefined : after.history.at(-1);
  return { id: before.id, before: standingOf(before), after: standingOf(after), event };
}

/**
 * Undoes a decision about a mention, but keeps later changes by the mention's source. Also removes the decision from
 * the history, because the moderation rules read the history. Returns the mention unchanged if its status has changed
 * again since the decision.
 */
export function undone(mention: Mention, { before, after, event }: Decided): Mention {
  if (!isDeepStrictEqual(standingOf(mention), after)) return mention;
  const rest = { ...mention };
  delete rest.statusBefore;
  const place = mention.history.findLastIndex((one) => isDeepStrictEqual(one, event));
  return { ...rest, ...before, history: mention.history.filter((_one, index) => index !== place) };
}

function standingOf({ status, statusBefore, chosen }: Mention): Standing {
  return { status, ...(statusBefore !== undefined && { statusBefore }), chosen };
}
