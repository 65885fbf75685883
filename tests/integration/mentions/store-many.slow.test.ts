import { expect, test } from 'vitest';
import { everyMention, expectSound, newMentionStore } from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';

const day = 86_400_000;
const start = Date.parse('2020-01-01T00:00:00Z');

test(
  '5,000 mentions are paged through in order, each once, while new ones come',
  { timeout: 360_000 },
  async () => {
    const { records, mentions, open } = await newMentionStore();
    const count = 5_000;
    await mentions.keepAll(
      Array.from({ length: count }, (_, index) =>
        importedSample(index + 1, {
          target: `${target}/${index % 100}`,
          // Years apart, and many at the same moment.
          received: new Date(start + Math.floor(index / 25) * day).toISOString(),
          facts: facts(index % 10 === 0 ? 'like' : 'reply', `Number ${index}`),
          status: index % 1000 === 7 ? 'held' : 'approved',
        }),
      ),
    );

    const again = open();
    const first = await again.list({ limit: 20 });
    expect(await again.ofPage(`${target}/1`)).toHaveLength(50);

    const seen: number[] = [];
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
      const { items, nextCursor } = await again.list({ limit: 150, cursor });
      if (page === 0) expect(items.slice(0, 20)).toEqual(first.items);
      seen.push(...items.map(({ wmId }) => wmId));
      cursor = nextCursor;
      await again.keep(sample(page, { source: `https://new.example/${page}` }));
    }
    expect(new Set(seen).size).toBe(count);
    expect(seen).toHaveLength(count);
    const days = seen.map((wmId) => Math.floor((wmId - 1) / 25));
    expect(days).toEqual(days.toSorted((a, b) => b - a));

    const held = await everyMention(again, 2, { status: 'held' });
    expect(held.map(({ wmId }) => wmId)).toEqual(
      Array.from({ length: 5 }, (_, index) => 4008 - 1000 * index),
    );
    expect(await again.list({ limit: 5, filter: { text: 'number 2345' } })).toMatchObject({
      items: [{ wmId: 2346 }],
    });
    expect(await everyMention(again, 20, { type: 'like', page: `${target}/10` })).toHaveLength(50);
    expect((await again.pages()).length).toBe(101);
    await expectSound(records);
  },
);
