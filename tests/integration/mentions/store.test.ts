import { describe, expect, test } from 'vitest';
import type { MentionFilter } from '../../../src-main/mentions/mention-queries.ts';
import type { MentionStore } from '../../../src-main/mentions/mention-store.ts';
import { collected, everyMention, newMentionStore, stepClock } from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';

const stores: [string, () => Promise<MentionStore>][] = [
  ['in memory', () => Promise.resolve(memoryMentions(stepClock()))],
  ['on disk', async () => (await newMentionStore()).mentions],
];
const notThere = { code: 'not_found', status: 404 };

describe.each(stores)('a store of mentions %s', (_, open) => {
  test('keeps a mention, and finds it by its identifier, its addresses and its page', async () => {
    const mentions = await open();
    const { mention, outcome } = await mentions.keep(sample(1, { target: `${target}#part` }));
    expect(outcome).toBe('added');
    expect(mention).toMatchObject({
      source: 'https://friend.example/notes/1',
      target: `${target}#part`,
      status: 'approved',
      chosen: false,
      wmId: 1,
      facts: facts(),
      received: mention.history[0]?.at,
    });
    expect(mention).not.toHaveProperty('imported');
    expect(mention.history.map(({ what }) => what)).toEqual(['received']);
    expect(await mentions.get(mention.id)).toEqual(mention);
    expect(await mentions.find(mention.source, mention.target)).toEqual(mention);
    expect(await mentions.ofPage(target)).toEqual([mention]);
    expect(await mentions.ofPage(`${target}#other`)).toEqual([mention]);
    expect((await mentions.list({ limit: 5 })).items).toEqual([mention]);
  });

  test('returns undefined for a mention that was never stored', async () => {
    const mentions = await open();
    await mentions.keep(sample());
    const unknown = `${'A'.repeat(43)}.x`;
    for (const id of ['', 'x', unknown, '../../settings', '__proto__', 'x'.repeat(5000)]) {
      expect(await mentions.get(id)).toBeUndefined();
      await expect(mentions.setStatus(id, 'hidden', 'owner')).rejects.toMatchObject(notThere);
      await expect(mentions.restore(id)).rejects.toMatchObject(notThere);
    }
    expect(await mentions.find(sample().source, `${target}/`)).toBeUndefined();
    expect(await mentions.find(sample().source, `${target}#part`)).toBeUndefined();
    expect(await mentions.find(`${sample().source}?`, target)).toBeUndefined();
    expect(await mentions.ofPage('https://me.example/other')).toEqual([]);
    expect(await mentions.byWmId(1)).toBeUndefined();
    for (const number of [-1, 0.5, NaN, Infinity]) expect(await mentions.byWmId(number)).toBeUndefined();
  });

  test('WR-9 brings a pair that comes again up to date, and never keeps it twice', async () => {
    const mentions = await open();
    const first = (await mentions.keep(sample())).mention;
    const parsed = '2026-11-21T00:00:00.000Z';
    const again = await mentions.keep(sample(1, { facts: facts('like', 'More.'), parsed, status: 'held' }));
    expect(again).toMatchObject({
      outcome: 'updated',
      mention: { id: first.id, wmId: first.wmId, received: first.received, parsed, status: 'approved' },
    });
    expect(again.mention.facts).toEqual(facts('like', 'More.'));
    expect(again.mention.history.map(({ what }) => what)).toEqual(['received', 'updated']);
    const same = await mentions.keep(sample(1, { facts: facts('like', 'More.'), parsed }));
    expect(same).toEqual({ mention: again.mention, outcome: 'unchanged', standing: 'leads' });
    expect(await everyMention(mentions, 10)).toEqual([again.mention]);
    expect(await mentions.get(first.id)).toEqual(again.mention);
  });

  test('stores the last reading even if the source says the same', async () => {
    const mentions = await open();
    await mentions.keep(sample());
    const { mention, outcome } = await mentions.keep(sample(1, { parsed: '2027-01-01T00:00:00.000Z' }));
    expect(outcome).toBe('unchanged');
    expect((await mentions.get(mention.id))?.parsed).toBe('2027-01-01T00:00:00.000Z');
  });

  test('treats an undefined property like a missing one', async () => {
    const mentions = await open();
    await mentions.keep(sample());
    const again = await mentions.keep(
      sample(1, { facts: { ...facts(), name: undefined }, private: undefined }),
    );
    expect(again.outcome).toBe('unchanged');
    expect(again.mention.facts).not.toHaveProperty('name');
  });

  test('WR-16 keeps a mention of each fragment of a page, but counts their source once', async () => {
    const mentions = await open();
    const targets = [target, `${target}#a`, `${target}#b`];
    for (const one of targets)
      expect((await mentions.keep(sample(1, { target: one }))).outcome).toBe('added');
    expect((await mentions.recordsOf(target)).map((one) => one.target)).toEqual(targets);
    const [shown] = await mentions.ofPage(target);
    expect(targets).toContain(shown?.target);
    expect(await mentions.list({ limit: 5 })).toEqual({ items: [shown] });
    expect(await mentions.pages()).toMatchObject([
      { target, types: { reply: 1 }, statuses: { approved: 1 } },
    ]);
  });

  test('does not keep a pair twice when it comes many times at once', async () => {
    const mentions = await open();
    const kept = await Promise.all(Array.from({ length: 20 }, () => mentions.keep(sample())));
    expect(kept.filter(({ outcome }) => outcome === 'added')).toHaveLength(1);
    expect(new Set(kept.map(({ mention }) => mention.id)).size).toBe(1);
    expect(await everyMention(mentions, 3)).toHaveLength(1);
  });

  test('WR-10 a mention that its source removed comes back unchanged', async () => {
    const mentions = await open();
    const { id } = (await mentions.keep(sample(1, { status: 'held' }))).mention;
    const removed = await mentions.setStatus(id, 'removed', 'source');
    expect(removed).toMatchObject({ status: 'removed', statusBefore: 'held', chosen: false });
    expect(await mentions.restore(id)).toEqual(removed);
    const back = await mentions.keep(sample());
    expect(back).toMatchObject({ outcome: 'updated', mention: { id, status: 'held' } });
    expect(back.mention).not.toHaveProperty('statusBefore');
    expect(await mentions.get(id)).toEqual(back.mention);
  });

  test('a mention that the owner deleted stays deleted until the owner restores it', async () => {
    const mentions = await open();
    const { id } = (await mentions.keep(sample())).mention;
    await mentions.setStatus(id, 'hidden', 'owner');
    await mentions.setStatus(id, 'deleted', 'owner');
    expect(await mentions.setStatus(id, 'removed', 'source')).toMatchObject({ status: 'deleted' });
    const again = await mentions.keep(sample(1, { facts: facts('like') }));
    expect(again).toMatchObject({
      outcome: 'updated',
      mention: { status: 'deleted', statusBefore: 'hidden' },
    });
    const restored = await mentions.restore(id);
    expect(restored).toMatchObject({ status: 'hidden', chosen: true });
    expect(restored.history.map(({ what }) => what)).toEqual([
      'received',
      'hidden',
      'deleted',
      'removed',
      'updated',
      'restored',
    ]);
    expect(await mentions.get(id)).toEqual(restored);
  });

  test('the owner’s decision stays when the source sends again', async () => {
    const mentions = await open();
    const { id } = (await mentions.keep(sample(1, { status: 'held' }))).mention;
    expect(await mentions.setStatus(id, 'hidden', 'owner')).toMatchObject({ status: 'hidden', chosen: true });
    const again = await mentions.keep(sample(1, { facts: facts('like'), status: 'approved' }));
    expect(again.mention).toMatchObject({ status: 'hidden', chosen: true });
  });

  test('WI-35 an imported mention keeps its number, and those that come later get higher ones', async () => {
    const mentions = await open();
    const local = (await mentions.keep(sample(1))).mention;
    const imported = (await mentions.keep(importedSample(1_234_567))).mention;
    const later = (await mentions.keep(sample(2))).mention;
    expect(imported).toMatchObject({ wmId: 1_234_567, received: '2019-03-01T10:00:00Z' });
    expect(imported.history.map(({ what }) => what)).toEqual(['imported']);
    expect(local.wmId).toBeLessThan(imported.wmId);
    expect(later.wmId).toBeGreaterThan(imported.wmId);
    expect(await mentions.byWmId(1_234_567)).toEqual(imported);
    expect(await mentions.byWmId(local.wmId)).toBeUndefined();
    expect(await collected(mentions.importedIds())).toEqual([{ wmId: 1_234_567, id: imported.id }]);
  });

  test('WI-35 a mention that was received before its import gets the aggregator’s number', async () => {
    const mentions = await open();
    const local = (await mentions.keep(sample(77))).mention;
    const { mention, outcome } = await mentions.keep(importedSample(77));
    expect(outcome).toBe('updated');
    expect(mention).toMatchObject({ id: local.id, wmId: 77, received: local.received });
    const moved = importedSample(77, { wmId: 987_654 });
    expect((await mentions.keep(moved)).mention.wmId).toBe(987_654);
    expect(await mentions.byWmId(77)).toBeUndefined();
    expect((await mentions.byWmId(987_654))?.id).toBe(local.id);
    expect(await collected(mentions.importedIds())).toEqual([{ wmId: 987_654, id: local.id }]);
    expect((await mentions.keep(sample(1))).mention.wmId).toBeGreaterThan(987_654);
  });

  test('keeps many at once, in order, and answers for each', async () => {
    const mentions = await open();
    await mentions.keep(sample(2, { target: `${target}/1` }));
    const expected = Array.from({ length: 30 }, (_, index) =>
      sample(index, { target: `${target}/${index % 3}`, facts: facts('like') }),
    );
    const kept = await mentions.keepAll([
      ...expected,
      sample(0, { target: `${target}/0`, facts: facts('like') }),
    ]);
    expect(kept.map(({ outcome }) => outcome)).toEqual([...expected.map(() => 'added'), 'unchanged']);
    expect(kept.map(({ mention }) => mention.source)).toEqual([
      ...expected.map(({ source }) => source),
      expected[0]?.source,
    ]);
    expect(new Set(kept.map(({ mention }) => mention.wmId)).size).toBe(30);
    expect(await everyMention(mentions, 7)).toHaveLength(31);
    expect(await mentions.keepAll([])).toEqual([]);
    for (const { mention } of kept) expect(await mentions.get(mention.id)).toEqual(mention);
  });

  test('lists the newest received first, whatever the order they came in', async () => {
    const mentions = await open();
    const moments = [
      '2024-02-29T12:00:00Z',
      '2026-11-19T00:00:00.500Z',
      '2019-12-31T23:59:59Z',
      '2026-11-19T00:00:00Z',
    ];
    for (const [index, received] of moments.entries())
      await mentions.keep(importedSample(index + 1, { received }));
    const now = (await mentions.keep(sample(9))).mention.received;
    const received = async (limit: number) =>
      (await everyMention(mentions, limit)).map((one) => one.received);
    const sorted = [now, moments[1], moments[3], moments[0], moments[2]];
    for (const limit of [1, 2, 3, 50]) expect(await received(limit)).toEqual(sorted);
    const oldestFirst = (await collected(mentions.all())).map((one) => one.received);
    expect(oldestFirst).toEqual(sorted.toReversed());
    expect((await mentions.ofPage(target)).map((one) => one.received)).toEqual(oldestFirst);
  });

  test('pages do not move while new mentions come in', async () => {
    const mentions = await open();
    await mentions.keepAll(Array.from({ length: 10 }, (_, index) => sample(index)));
    const before = (await everyMention(mentions, 100)).map(({ id }) => id);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
      const { items, nextCursor } = await mentions.list({ limit: 3, cursor });
      seen.push(...items.map(({ id }) => id));
      cursor = nextCursor;
      await mentions.keep(sample(100 + page));
    }
    expect(seen).toEqual(before);
  });

  test('refuses a cursor that it did not give', async () => {
    const mentions = await open();
    await mentions.keep(sample());
    for (const cursor of [
      '',
      'x',
      '%',
      Buffer.from('1 ').toString('base64url'),
      Buffer.from('9e9 x').toString('base64url'),
    ]) {
      await expect(mentions.list({ limit: 1, cursor })).rejects.toMatchObject({
        code: 'invalid_request',
        status: 400,
      });
    }
  });

  test('counts by page, and by month and type', async () => {
    const mentions = await open();
    const other = 'https://me.example/other';
    const received = '2025-01-31T23:59:59Z';
    await mentions.keepAll([
      importedSample(1, { received, facts: facts('like') }),
      importedSample(2, { received, facts: facts('like') }),
      importedSample(3, { received: '2025-02-01T00:00:00Z', facts: facts('repost') }),
      importedSample(4, { received, facts: facts('reply'), status: 'held' }),
      sample(5, { target: other, facts: facts('mention') }),
      sample(6, { target: `${other}#x`, facts: facts('mention'), status: 'hidden' }),
    ]);
    const pages = await mentions.pages();
    expect(pages).toEqual([
      {
        target: other,
        types: { mention: 1 },
        statuses: { approved: 1, hidden: 1 },
        newest: pages[0]?.newest,
      },
      {
        target,
        types: { like: 2, repost: 1 },
        statuses: { approved: 3, held: 1 },
        newest: '2025-02-01T00:00:00Z',
      },
    ]);
    const counted = [
      { month: '2025-01', types: { like: 2 } },
      { month: '2025-02', types: { repost: 1 } },
      { month: '2026-11', types: { mention: 1 } },
    ];
    expect(await mentions.counts()).toEqual(counted);
    const [held] = await everyMention(mentions, 5, { status: 'held' });
    await mentions.setStatus(held?.id ?? '', 'approved', 'owner');
    expect((await mentions.counts())[0]).toEqual({ month: '2025-01', types: { like: 2, reply: 1 } });
    expect((await mentions.pages())[1]?.statuses).toEqual({ approved: 4 });
  });

  test('an invalid time is ignored: the mention was received now', async () => {
    const mentions = await open();
    const wrong = ['', 'yesterday', '+275760-09-13T00:00:00Z', '-000001-01-01T00:00:00Z'];
    for (const [index, received] of wrong.entries()) {
      const { mention } = await mentions.keep(importedSample(index + 1, { received }));
      expect(mention.received).toBe(mention.history[0]?.at);
    }
    const { mention } = await mentions.keep(importedSample(9, { received: '2019-03-01T01:30:00+02:00' }));
    expect(mention.received).toBe('2019-02-28T23:30:00.000Z');
    expect(await everyMention(mentions, 2)).toHaveLength(5);
  });
});

const long = `${'word '.repeat(100)}needle`;
const filters: [string, MentionFilter, number[]][] = [
  ['its type', { type: 'like' }, [2]],
  ['its status', { status: 'held' }, [3]],
  ['its type and status', { type: 'reply', status: 'held' }, [3]],
  ['a type that none has', { type: 'rsvp' }, []],
  ['a status that none of that type has', { type: 'like', status: 'held' }, []],
  ['its page', { page: target }, [1, 2, 5]],
  ['its page, and more', { page: target, type: 'like' }, [2]],
  ['its source, exactly', { source: 'https://friend.example/notes/3' }, [3]],
  ['half a source', { source: 'https://friend.example/notes' }, []],
  ['the host of its source', { host: 'friend.example' }, [1, 2, 3, 5]],
  ['the host of its source, in capitals', { host: 'Other.Example:8080' }, [4]],
  ['part of a host', { host: 'example' }, []],
  ['its author', { text: 'lovelace' }, [1, 2, 3, 5]],
  ['its name', { text: 'tItLe' }, [4]],
  ['its text', { text: 'TWO.' }, [2]],
  ['part of its source', { text: 'OTHER.example' }, [4]],
  ['words beyond what the index holds', { text: 'needle' }, [5]],
  ['words that none has', { text: 'haystack' }, []],
];

describe.each(stores)('a list of mentions %s', (_, open) => {
  test.each(filters)('is filtered by %s', async (_name, filter, expected) => {
    const mentions = await open();
    await mentions.keepAll([
      sample(1, { target: `${target}#a` }),
      sample(2, { facts: facts('like', 'Two.') }),
      sample(3, { status: 'held', target: `${target}/3` }),
      sample(4, {
        source: 'https://other.example:8080/',
        target: `${target}?4`,
        facts: { type: 'mention', property: 'mention-of', name: 'A Title' },
      }),
      sample(5, { facts: facts('reply', long) }),
    ]);
    const numberOf = (source: string) => Number(/\/notes\/(\d)$/.exec(source)?.[1] ?? 4);
    for (const limit of [1, 50]) {
      const found = await everyMention(mentions, limit, filter);
      expect(found.map(({ source }) => numberOf(source)).sort()).toEqual(expected);
    }
  });
});

test('a page that is read for a list of all pages takes no room in the cache', async () => {
  const { mentions } = await newMentionStore();
  await mentions.keep(sample());
  const [once, first, again] = [
    await mentions.recordsOf(target),
    await mentions.ofPage(target),
    await mentions.ofPage(target),
  ];
  expect(once).toEqual(first);
  expect(once).not.toBe(first);
  expect(again).toBe(first);
});
