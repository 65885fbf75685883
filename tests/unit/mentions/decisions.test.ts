import { describe, expect, test } from 'vitest';
import type { Decision, MentionStatus } from '../../../src-main/contract/webmentions.ts';
import {
  decided,
  decisionBetween,
  newMention,
  undone,
  withStatus,
} from '../../../src-main/mentions/moderation.ts';
import type { Mention } from '../../../src-main/mentions/mention.ts';
import { importedSample, sample } from '../../support/mention-samples.ts';

const came = '2026-11-20T10:00:00.000Z';
const now = '2026-11-20T12:00:00.000Z';
const received = (status: MentionStatus): Mention => ({ ...newMention(sample(), 'id', 1, came), status });
const dropped = () => withStatus(newMention(importedSample(9), 'id', 9, came), 'removed', 'aggregator', came);

const starts: [string, Mention][] = [
  ['shown', received('approved')],
  ['waiting', received('held')],
  ['hidden by the owner', withStatus(received('approved'), 'hidden', 'owner', came)],
  ['deleted', withStatus(received('held'), 'deleted', 'owner', came)],
  ['dropped by the aggregator', dropped()],
  ['dropped, then deleted', withStatus(dropped(), 'deleted', 'owner', came)],
];
const decisions: Decision[] = ['approved', 'held', 'hidden', 'deleted', 'restored'];

describe('a decision', () => {
  test.each(
    starts.flatMap(([name, before]) => decisions.map((decision) => [name, decision, before] as const)),
  )('about one that is %s (%s) is undone to the exact earlier state', (_name, decision, before) => {
    const after = decided(before, decision, now);
    expect(undone(after, decisionBetween(before, after))).toEqual(before);
  });

  test('that is undone keeps the source’s later changes', () => {
    const before = received('held');
    const after = decided(before, 'approved', now);
    const event = { at: '2026-11-20T13:00:00.000Z', what: 'updated' as const };
    const since = { ...after, parsed: event.at, history: [...after.history, event] };
    expect(undone(since, decisionBetween(before, after))).toEqual({
      ...before,
      parsed: event.at,
      history: [...before.history, event],
    });
  });

  test('is not undone if the mention was decided about again, or its source withdrew it', () => {
    const before = received('held');
    const after = decided(before, 'approved', now);
    const decision = decisionBetween(before, after);
    for (const since of [decided(after, 'hidden', now), withStatus(after, 'removed', 'source', now)])
      expect(undone(since, decision)).toBe(since);
  });

  test('restores a mention that an aggregator dropped, but not one that its source withdrew', () => {
    expect(decided(dropped(), 'restored', now)).toMatchObject({ status: 'approved', chosen: true });
    const withdrawn = withStatus(received('approved'), 'removed', 'source', came);
    expect(decided(withdrawn, 'restored', now)).toBe(withdrawn);
    expect(() => decided(withdrawn, 'approved', now)).toThrow(/this mention stays removed/);
  });
});
