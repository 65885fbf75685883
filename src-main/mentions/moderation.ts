import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Admission, MentionStatus } from '../contract/webmentions.ts';
import { isTakenBack, type Mention, type MentionEvent } from './mention.ts';
import { bytesOf, fitted, mostBytes } from './mention-size.ts';
import type { Decider, Kept, NewMention } from './mention-store.ts';

const longestHistory = 100;

/**
 * Returns why a new mention is shown or held. Nobody has to approve their own mentions.
 * `isKnown`: the owner trusts its site, or approved a mention from it.
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

/** Returns what a new mention becomes that is admitted so. */
export function statusOfNew(admission: Admission): MentionStatus {
  return admission === 'stranger' || admission === 'closed' ? 'held' : 'approved';
}

/** A mention that was not there before. `now`: ISO 8601. */
export function newMention(wanted: NewMention, id: string, wmId: number, now: string): Mention {
  const { source, target, facts, status, admission, parsed, private: isPrivate, imported, snapshot } = wanted;
  return {
    id,
    wmId,
    source,
    target,
    received: utcMoment(wanted.received) ?? now,
    parsed,
    facts,
    status,
    chosen: false,
    ...(admission && { admission }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    ...(imported && { imported }),
    ...(snapshot && { snapshot }),
    history: [{ at: now, what: imported ? 'imported' : 'received' }],
  };
}

/**
 * A mention that came in again: what its source says now (Webmention 3.2.4). What the owner decided stays, a deleted
 * one stays deleted, and one whose source had taken the link away is back as it was. Where this server read that it was
 * taken back, an aggregator brings it back only with a newer date than that reading. It is shortened to `room` bytes, or
 * to what it took before. `now`: ISO 8601.
 */
export function renewed(before: Mention, wanted: NewMention, now: string, room = mostBytes): Kept {
  const { private: isPrivate, imported, wmId, snapshot } = wanted;
  const { statusBefore, takenBack, ...rest } = before;
  const staysAway =
    imported !== undefined && takenBack !== undefined && Date.parse(wanted.parsed) <= Date.parse(takenBack);
  const returns = before.status === 'removed' && !staysAway;
  // What an aggregator tells does not undo what was read from the source since.
  const isOlder = imported !== undefined && Date.parse(wanted.parsed) < Date.parse(before.parsed);
  const { facts, parsed } = isOlder ? before : wanted;
  const whole: Mention = {
    ...rest,
    facts,
    parsed,
    // Its readers and the aggregator know an imported one by the aggregator's number.
    ...(imported && wmId !== undefined && { wmId }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    ...(imported && { imported: { ...before.imported, ...imported } }),
    ...(snapshot && { snapshot }),
    ...(staysAway && { takenBack }),
    ...(returns ? { status: statusBefore ?? 'approved' } : statusBefore !== undefined && { statusBefore }),
  };
  // Nothing longer than before was found where it does not fit in: then it stays as it was.
  const mention = fitted(whole, Math.max(room, bytesOf(before))) ?? before;
  const same =
    !returns &&
    !(before.status === 'deleted' && wasTakenAway(before) && !staysAway) &&
    isDeepStrictEqual(before.facts, mention.facts) &&
    isDeepStrictEqual(before.imported, mention.imported) &&
    before.wmId === mention.wmId &&
    before.private === mention.private;
  if (same) return { mention, outcome: 'unchanged' };
  return { mention: told(mention, 'updated', now), outcome: 'updated' };
}

/**
 * A mention with another status. The owner's word stands: its source only takes away what the owner has not deleted,
 * and what an aggregator dropped is the owner's to show. The same mention where nothing changes. `now`: ISO 8601.
 *
 * @throws PorchlightError `removed_by_source` (409): nobody shows what its author took back, as this server read.
 */
export function withStatus(before: Mention, status: MentionStatus, by: Decider, now: string): Mention {
  if (by === 'source' && status === 'removed') return withdrawn(before, now);
  const isSettled = before.status === 'deleted' || (before.chosen && status !== 'removed');
  if (before.status === status || (by !== 'owner' && isSettled)) {
    return by === 'owner' && !before.chosen ? { ...before, chosen: true } : before;
  }
  const goes = isAway(status);
  if (by === 'owner' && !goes && isGone(before) && isTakenBack(before)) throw removedBySource();
  const { statusBefore, ...rest } = before;
  const remembered = isAway(before.status) ? statusBefore : before.status;
  const mention: Mention = {
    ...rest,
    status,
    chosen: before.chosen || by === 'owner',
    ...(goes && remembered !== undefined && { statusBefore: remembered }),
  };
  return told(mention, by === 'aggregator' && status === 'removed' ? 'dropped' : status, now);
}

/** A mention whose source this server found gone, or without the link: a deleted one stays deleted, and is known as such. */
function withdrawn(before: Mention, now: string): Mention {
  const mention: Mention = { ...before, takenBack: now };
  if (isGone(before) && isTakenBack(before)) return before.takenBack === now ? before : mention;
  // What the owner brings back one day must not be what its author took back meanwhile.
  if (isAway(before.status)) return told(mention, 'removed', now);
  return told({ ...mention, status: 'removed', statusBefore: before.status }, 'removed', now);
}

/**
 * A deleted mention as it was before, or as removed where its source took the link away before or since; any other one
 * as it is. `now`: ISO 8601.
 */
export function restored(before: Mention, now: string): Mention {
  if (before.status !== 'deleted') return before;
  const { statusBefore = 'approved', ...rest } = before;
  if (wasTakenAway(before)) return told({ ...rest, status: 'removed', statusBefore }, 'restored', now);
  return told({ ...rest, status: statusBefore }, 'restored', now);
}

/** A moment as the contract wants it: ISO 8601 in UTC, as it was given where it is that already. */
function utcMoment(text = ''): string | undefined {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const moment = new Date(at).toISOString();
  if (!/^\d{4}-/.test(moment)) return undefined; // beyond the years that a calendar shows
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text) ? text : moment;
}

/** True where the last that is known of it is that its source, or the aggregator, has it no more. */
function wasTakenAway({ takenBack, history }: Mention): boolean {
  const last = history.findLast(({ what }) => what !== 'deleted' && what !== 'restored')?.what;
  return takenBack !== undefined || last === 'removed' || last === 'dropped';
}

/** The same, whether the owner deleted it besides or not. */
function isGone(mention: Mention): boolean {
  return mention.status === 'removed' || (mention.status === 'deleted' && wasTakenAway(mention));
}

function removedBySource(): PorchlightError {
  return new PorchlightError(
    'removed_by_source',
    'The other page no longer mentions yours, so this mention stays removed. It returns when that page mentions yours again.',
    409,
  );
}

const isAway = (status: MentionStatus) => status === 'deleted' || status === 'removed';

function told(mention: Mention, what: MentionEvent['what'], at: string): Mention {
  return { ...mention, history: [...mention.history, { at, what }].slice(-longestHistory) };
}
