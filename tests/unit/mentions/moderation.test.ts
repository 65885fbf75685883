import { describe, expect, test } from 'vitest';
import type { MentionStatus } from '../../../src-main/contract/webmentions.ts';
import { mentionBytes } from '../../../src-main/mentions/mention-limits.ts';
import { recordOf } from '../../../src-main/mentions/mention-record.ts';
import type { Mention } from '../../../src-main/mentions/mention.ts';
import {
  newMention,
  renewed,
  restored,
  admissionOf,
  statusOfNew,
  withStatus,
} from '../../../src-main/mentions/moderation.ts';
import { facts, importedSample, sample } from '../../support/mention-samples.ts';

const now = '2026-11-20T12:00:00.000Z';

const mentionWith = (rest: Partial<Mention>): Mention => ({
  ...newMention(sample(), 'id', 1, '2026-11-20T10:00:00.000Z'),
  ...rest,
});

describe('a new mention', () => {
  test.each([
    ['nothing', false, 'approved'],
    ['nothing', true, 'approved'],
    ['strangers', false, 'held'],
    ['strangers', true, 'approved'],
    ['everything', false, 'held'],
    ['everything', true, 'held'],
  ] as const)('where %s is held and its site is known: %s, is %s', (hold, isKnown, status) => {
    expect(statusOfNew(admissionOf(hold, { isOwn: false, isKnown }))).toBe(status);
  });

  test.each(['nothing', 'strangers', 'everything'] as const)(
    'from the owner is shown where %s is held',
    (hold) => {
      expect(admissionOf(hold, { isOwn: true, isKnown: false })).toBe('own');
      expect(statusOfNew('own')).toBe('approved');
    },
  );

  test('has its time and way of arrival, and keeps the facts from webmention.io', () => {
    expect(newMention(sample(), 'id', 7, now)).toEqual({
      id: 'id',
      wmId: 7,
      source: sample().source,
      target: sample().target,
      received: now,
      parsed: sample().parsed,
      facts: facts(),
      status: 'approved',
      chosen: false,
      history: [{ at: now, what: 'received' }],
    });
    const imported = importedSample(9, { private: true });
    expect(newMention(imported, 'id', 9, now)).toMatchObject({
      wmId: 9,
      received: imported.received,
      private: true,
      imported: imported.imported,
      history: [{ at: now, what: 'imported' }],
    });
  });
});

type Ways = [
  before: MentionStatus,
  by: 'owner' | 'source',
  wanted: MentionStatus,
  after: MentionStatus,
  remembered?: MentionStatus,
];

const ways: Ways[] = [
  ['held', 'owner', 'approved', 'approved'],
  ['approved', 'owner', 'hidden', 'hidden'],
  ['hidden', 'owner', 'held', 'held'],
  ['approved', 'owner', 'deleted', 'deleted', 'approved'],
  ['hidden', 'owner', 'deleted', 'deleted', 'hidden'],
  ['held', 'owner', 'deleted', 'deleted', 'held'],
  ['approved', 'source', 'removed', 'removed', 'approved'],
  ['held', 'source', 'removed', 'removed', 'held'],
  ['hidden', 'source', 'removed', 'removed', 'hidden'],
  ['deleted', 'source', 'approved', 'deleted'],
  ['deleted', 'owner', 'approved', 'approved'],
];

describe('a status', () => {
  test.each(ways)('%s, by the %s to %s, is %s', (before, by, requested, after, remembered) => {
    const changed = withStatus(mentionWith({ status: before }), requested, by, now);
    expect(changed.status).toBe(after);
    expect(changed.statusBefore).toBe(remembered);
    expect(changed.chosen).toBe(by === 'owner');
    expect(changed.history.slice(1)).toEqual(after === before ? [] : [{ at: now, what: after }]);
  });

  test('that was removed and is then deleted is restored as removed, and remembered as it was before both', () => {
    const removed = withStatus(mentionWith({ status: 'hidden' }), 'removed', 'source', now);
    const deleted = withStatus(removed, 'deleted', 'owner', now);
    expect(deleted).toMatchObject({ status: 'deleted', statusBefore: 'hidden' });
    const back = restored(deleted, now);
    expect(back).toMatchObject({ status: 'removed', statusBefore: 'hidden' });
    // Deleted and brought back once more, it is still gone at its source.
    expect(restored(withStatus(back, 'deleted', 'owner', now), now).status).toBe('removed');
    expect(renewed(back, sample(), now).mention.status).toBe('hidden');
  });

  test('WR-10 that is deleted, and whose source goes meanwhile, is restored as removed', () => {
    const deleted = withStatus(mentionWith({ status: 'approved' }), 'deleted', 'owner', now);
    const gone = withStatus(deleted, 'removed', 'source', now);
    expect(gone).toMatchObject({ status: 'deleted', statusBefore: 'approved' });
    expect(withStatus(gone, 'removed', 'source', now)).toBe(gone);
    expect(restored(gone, now)).toMatchObject({ status: 'removed', statusBefore: 'approved' });
    const again = renewed(gone, sample(), now).mention;
    expect(again.status).toBe('deleted');
    expect(restored(again, now).status).toBe('approved');
    expect(renewed(again, sample(), now).outcome).toBe('unchanged');
  });

  test('whose state the owner chose changes only if its source removes the link', () => {
    const chosen = mentionWith({ status: 'hidden', chosen: true });
    expect(withStatus(chosen, 'approved', 'source', now)).toBe(chosen);
    expect(withStatus(chosen, 'removed', 'source', now)).toMatchObject({ status: 'removed', chosen: true });
  });

  test.each(['approved', 'held', 'hidden'] as const)(
    'that the owner chose, %s, is not changed by an aggregator that drops the mention',
    (status) => {
      const chosen = mentionWith({ status, chosen: true });
      expect(withStatus(chosen, 'removed', 'aggregator', now)).toBe(chosen);
      const dropped = withStatus(mentionWith({ status }), 'removed', 'aggregator', now);
      expect(dropped).toMatchObject({ status: 'removed', statusBefore: status, chosen: false });
      expect(dropped.history.at(-1)).toEqual({ at: now, what: 'dropped' });
    },
  );

  test('that it has already stays without a word, but is the owner’s choice from then on', () => {
    const mention = mentionWith({ status: 'approved' });
    expect(withStatus(mention, 'approved', 'source', now)).toBe(mention);
    const chosen = withStatus(mention, 'approved', 'owner', now);
    expect(chosen).toEqual({ ...mention, chosen: true });
    expect(withStatus(chosen, 'approved', 'owner', now)).toBe(chosen);
  });

  test.each(['approved', 'held', 'hidden'] as const)(
    'that its source took away is not made %s by the owner, deleted besides or not',
    (requested) => {
      const removed = withStatus(mentionWith({ status: 'approved' }), 'removed', 'source', now);
      const deleted = withStatus(removed, 'deleted', 'owner', now);
      for (const gone of [removed, deleted])
        expect(() => withStatus(gone, requested, 'owner', now)).toThrow(
          expect.objectContaining({ code: 'removed_by_source', status: 409 }),
        );
      // Its source mentions the page again: then it is the owner's to decide.
      const back = renewed(removed, sample(), now).mention;
      expect(withStatus(back, requested, 'owner', now).status).toBe(requested);
    },
  );

  describe('that an aggregator has no more', () => {
    const imported = importedSample(7, { parsed: '2026-11-01T10:00:00.000Z' });
    const known = newMention(imported, 'id', 7, '2026-11-20T10:00:00.000Z');
    const dropped = withStatus(known, 'removed', 'aggregator', now);

    test('is removed, says so, and is the owner’s to show', () => {
      expect(dropped).toMatchObject({ status: 'removed', statusBefore: 'approved' });
      expect(dropped.history.at(-1)).toEqual({ at: now, what: 'dropped' });
      expect(recordOf(dropped)).toMatchObject({ removedBy: 'aggregator' });
      expect(withStatus(dropped, 'approved', 'owner', now)).toMatchObject({
        status: 'approved',
        chosen: true,
      });
    });

    test('a mention that an aggregator dropped and its source withdrew can’t be shown again', () => {
      const gone = withStatus(dropped, 'removed', 'source', now);
      expect(gone).toMatchObject({ statusBefore: 'approved', takenBack: now });
      expect(recordOf(gone)).toMatchObject({ removedBy: 'source' });
      expect(() => withStatus(gone, 'approved', 'owner', now)).toThrow(
        expect.objectContaining({ code: 'removed_by_source' }),
      );
    });
  });

  describe('WR-10 that this server read was taken back', () => {
    const old = importedSample(7, { parsed: '2026-11-01T10:00:00.000Z' });
    const known = newMention(old, 'id', 7, '2026-11-20T10:00:00.000Z');
    const gone = withStatus(known, 'removed', 'source', now);
    const later = '2026-11-25T12:00:00.000Z';

    test('stays removed whatever an aggregator told before that reading', () => {
      expect(renewed(gone, old, later)).toEqual({ mention: gone, outcome: 'unchanged' });
      const imported = importedSample(7, { parsed: now, imported: { json: { id: 7, verified: true } } });
      expect(renewed(gone, imported, later).mention).toMatchObject({ status: 'removed', takenBack: now });
      // One that came to this server alone, and is imported only afterwards.
      const own = withStatus(mentionWith({}), 'removed', 'source', now);
      expect(renewed(own, old, later).mention).toMatchObject({ status: 'removed', takenBack: now });
    });

    test('is back where an aggregator or this server saw it since, and is known as taken back no more', () => {
      for (const again of [importedSample(7, { parsed: later }), sample(7, { parsed: later })]) {
        const { mention } = renewed(gone, again, later);
        expect(mention.status).toBe('approved');
        expect(mention).not.toHaveProperty('takenBack');
      }
    });

    test('is verified once more: only a reading after the last check brings it back', () => {
      const twice = withStatus(gone, 'removed', 'source', later);
      expect(twice).toEqual({ ...gone, takenBack: later });
      const between = importedSample(7, { parsed: '2026-11-23T12:00:00.000Z' });
      expect(renewed(twice, between, later).mention.status).toBe('removed');
    });

    test('is restored as removed if the owner also deleted it, whatever an aggregator still lists', () => {
      const deleted = withStatus(known, 'deleted', 'owner', now);
      const both = withStatus(deleted, 'removed', 'source', now);
      const imported = importedSample(7, { parsed: now, imported: { json: { id: 7, verified: true } } });
      const listed = renewed(renewed(both, old, later).mention, imported, later).mention;
      expect(restored(listed, later)).toMatchObject({ status: 'removed', statusBefore: 'approved' });
    });
  });

  test('is restored if it is deleted, and in no other state', () => {
    for (const status of ['approved', 'held', 'hidden', 'removed'] as const) {
      const mention = mentionWith({ status, statusBefore: 'held' });
      expect(restored(mention, now)).toBe(mention);
    }
    const back = restored(mentionWith({ status: 'deleted' }), now);
    expect(back.status).toBe('approved');
    expect(back.history.at(-1)).toEqual({ at: now, what: 'restored' });
    const before = restored(mentionWith({ status: 'deleted', statusBefore: 'held' }), now);
    expect(before.status).toBe('held');
    expect(before).not.toHaveProperty('statusBefore');
  });
});

describe('a mention that comes again', () => {
  const changed = sample(1, { facts: facts('like', 'Other words.'), parsed: now });

  test.each([
    ['approved', false, undefined, 'approved', undefined],
    ['held', false, undefined, 'held', undefined],
    ['hidden', true, undefined, 'hidden', undefined],
    ['deleted', true, 'held', 'deleted', 'held'],
    ['removed', false, 'held', 'held', undefined],
    ['removed', true, 'hidden', 'hidden', undefined],
    ['removed', false, undefined, 'approved', undefined],
  ] as const)('%s, chosen: %s, before: %s, is %s', (status, chosen, statusBefore, after, remembered) => {
    const before = mentionWith({ status, chosen, ...(statusBefore && { statusBefore }) });
    const { mention, outcome } = renewed(before, changed, now);
    expect(outcome).toBe('updated');
    expect(mention).toMatchObject({ status: after, chosen, facts: changed.facts, parsed: now });
    expect(mention.statusBefore).toBe(remembered);
    expect(mention.history.slice(1)).toEqual([{ at: now, what: 'updated' }]);
  });

  test('as it was is unchanged, but one that was removed is updated by that alone', () => {
    const before = mentionWith({});
    expect(renewed(before, sample(), now)).toEqual({ mention: before, outcome: 'unchanged' });
    const removed = mentionWith({ status: 'removed', statusBefore: 'approved' });
    expect(renewed(removed, sample(), now).outcome).toBe('updated');
  });

  test('keeps what was read from its source since an aggregator read it', () => {
    const before = mentionWith({ parsed: now });
    const older = importedSample(1, { facts: facts('like'), parsed: '2020-01-01T00:00:00Z' });
    const { mention, outcome } = renewed(before, older, now);
    expect(outcome).toBe('updated');
    expect(mention).toMatchObject({ facts: before.facts, parsed: now, imported: older.imported });
    const newer = importedSample(1, { facts: facts('like'), parsed: '2027-01-01T00:00:00Z' });
    expect(renewed(before, newer, now).mention.facts).toEqual(newer.facts);
  });

  test('keeps both formats of an aggregator, and stays private', () => {
    const before = mentionWith({ private: true, imported: { jf2: { a: 1 }, json: { b: 1 } } });
    const again = importedSample(5, { imported: { json: { b: 2 } } });
    expect(renewed(before, again, now).mention).toMatchObject({
      private: true,
      wmId: 5,
      imported: { jf2: { a: 1 }, json: { b: 2 } },
    });
  });

  test('may be as large as before, whatever room is left', () => {
    const text = (sign: string, length: number) => ({ facts: facts('reply', sign.repeat(length)) });
    const before = mentionWith(text('a', 3000));
    const same = renewed(before, sample(1, text('b', 3000)), now, 0).mention;
    expect(same.facts).toEqual(facts('reply', 'b'.repeat(3000)));
    const longer = renewed(before, sample(1, text('b', 4000)), now, 0).mention;
    expect(longer.facts.shortened).toEqual(['content']);
    expect(longer.facts.content?.value.length).toBeGreaterThan(2900);
    expect(mentionBytes(longer)).toBeLessThanOrEqual(mentionBytes(before));
  });

  test('may use the remaining room, if that is larger', () => {
    const before = mentionWith({});
    const longer = sample(1, { facts: facts('reply', 'b'.repeat(4000)) });
    expect(renewed(before, longer, now, 10_000).mention.facts).toEqual(longer.facts);
    const { mention } = renewed(before, longer, now, 2000);
    expect(mention.facts.shortened).toEqual(['content']);
    expect(mentionBytes(mention)).toBeLessThanOrEqual(2000);
  });

  test('remembers the last hundred things that happened', () => {
    let mention = mentionWith({});
    for (let turn = 0; turn < 150; turn += 1) {
      mention = renewed(mention, sample(1, { facts: facts('like', String(turn)) }), String(turn)).mention;
    }
    expect(mention.history).toHaveLength(100);
    expect(mention.history.at(-1)?.at).toBe('149');
  });
});
