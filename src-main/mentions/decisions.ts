import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../contract/webmentions.ts';
import { isTakenBack, type Mention } from './mention.ts';
import type { Decided, Standing } from './mention-store.ts';
import { restored, withStatus } from './moderation.ts';

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
