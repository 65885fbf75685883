import { describe, expect, test } from 'vitest';
import { newMentionStore } from '../../support/mention-folder.ts';
import { facts, sample, target } from '../../support/mention-samples.ts';

describe('an erased mention', () => {
  test('is missing from lists, counts and exports, also after the index is rebuilt', async () => {
    const { mentions, open } = await newMentionStore();
    const [one, two] = await mentions.keepAll([sample(1), sample(2)]);
    const erased = await mentions.erase([one?.mention.id ?? '', 'not a mention']);
    expect(erased.map(({ source }) => source)).toEqual([sample(1).source]);
    for (const store of [mentions, open()]) {
      expect((await store.ofPage(target)).map(({ id }) => id)).toEqual([two?.mention.id]);
      expect(await store.get(one?.mention.id ?? '')).toBeUndefined();
      expect((await store.pages()).map(({ statuses }) => statuses)).toEqual([{ approved: 1 }]);
      const all: string[] = [];
      for await (const { source } of store.all()) all.push(source);
      expect(all).toEqual([sample(2).source]);
    }
  });

  test('comes back as a new one when its source sends it again, even in the same write', async () => {
    const { mentions } = await newMentionStore();
    const { mention } = await mentions.keep(sample(1));
    const [, kept] = await Promise.all([mentions.erase([mention.id]), mentions.keep(sample(1))]);
    expect(kept).toMatchObject({ outcome: 'added', mention: { status: 'approved' } });
    expect(kept.mention.id).not.toBe(mention.id);
    expect(await mentions.recordsOf(target)).toEqual([kept.mention]);
  });
});

describe('mentions that are kept only if they are new', () => {
  test('leave existing mentions unchanged, and take over no approval from the same source', async () => {
    const { mentions } = await newMentionStore();
    const { mention } = await mentions.keep(sample(1));
    const forged = { ...facts('reply'), content: { value: 'Forged' } };
    const late = '2090-01-01T00:00:00.000Z';
    const spelled = `${target}?utm_source=x`;
    const incoming = [
      sample(1, { status: 'held', facts: forged, parsed: late }),
      sample(1, { status: 'held', facts: forged, parsed: late, target: spelled, id: 'chosen' }),
    ];
    const kept = await mentions.keepAll(incoming, { onlyNew: true });
    expect(kept.map(({ outcome, mention: { status } }) => [outcome, status])).toEqual([
      ['unchanged', 'approved'],
      ['added', 'held'],
    ]);
    expect(kept[1]?.mention.id).toBe('chosen');
    expect((await mentions.ofPage(target)).map(({ id }) => id)).toEqual([mention.id]);
    expect(await mentions.get(mention.id)).toEqual(mention);
  });
});
