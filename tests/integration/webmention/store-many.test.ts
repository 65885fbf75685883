import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkMentions } from '../../../src-main/webmention/check-mentions.ts';
import type { IndexPart } from '../../../src-main/webmention/mention-index-part.ts';
import { openDirtyMarks } from '../../../src-main/webmention/mention-index-marks.ts';
import { openIndexFiles } from '../../../src-main/webmention/mention-index-files.ts';
import { everyMention, newMentionStore } from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';
import { watchedOperations } from '../../support/storage-folder.ts';

const day = 86_400_000;
const start = Date.parse('2020-01-01T00:00:00Z');

test(
  '20,000 mentions are paged through in order, each once, while new ones come',
  { timeout: 120_000 },
  async () => {
    const operations = watchedOperations();
    const { dir, mentions, open } = await newMentionStore(operations);
    const count = 20_000;
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
    operations.calls.length = 0;
    const first = await again.list({ limit: 20 });
    const reads = operations.calls.filter((call) => call.startsWith('read '));
    // One more than asked for tells whether there is another page.
    expect(new Set(reads).size).toBeLessThanOrEqual(21);

    const seen: number[] = [];
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
      const { items, nextCursor } = await again.list({ limit: 500, cursor });
      if (page === 0) expect(items.slice(0, 20)).toEqual(first.items);
      seen.push(...items.map(({ wmId }) => wmId));
      cursor = nextCursor;
      await again.keep(sample(page, { source: `https://new.example/${page}` }));
    }
    expect(new Set(seen).size).toBe(count);
    expect(seen).toHaveLength(count);
    const days = seen.map((wmId) => Math.floor((wmId - 1) / 25));
    expect(days).toEqual(days.toSorted((a, b) => b - a));

    const held = await everyMention(again, 7, { status: 'held' });
    expect(held.map(({ wmId }) => wmId)).toEqual(
      Array.from({ length: 20 }, (_, index) => 19_008 - 1000 * index),
    );
    expect(await again.list({ limit: 5, filter: { text: 'number 12345' } })).toMatchObject({
      items: [{ wmId: 12_346 }],
    });
    expect(await everyMention(again, 100, { type: 'like', target: `${target}/10` })).toHaveLength(200);
    expect((await again.pages()).length).toBe(101);
    expect((await checkMentions(dir)).problems).toEqual([]);
  },
);

test('no more than 200 documents stay open', async () => {
  const operations = watchedOperations();
  const { mentions } = await newMentionStore(operations);
  const pageOf = (number: number) => `${target}/${number}`;
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  await mentions.keepAll(numbers.map((number) => sample(number, { target: pageOf(number) })));

  async function readsFor(some: readonly number[]): Promise<number> {
    operations.calls.length = 0;
    for (const number of some) expect(await mentions.ofPage(pageOf(number))).toHaveLength(1);
    return operations.calls.filter((call) => /^read [\da-f]+\.json$/.test(call)).length;
  }

  await readsFor(numbers);
  expect(await readsFor(numbers.slice(100))).toBe(0);
  expect(await readsFor(numbers.slice(0, 100))).toBe(100);
});

test('no more than 12 parts of the index stay open', async () => {
  const { dir, mentions } = await newMentionStore();
  const months = Array.from({ length: 20 }, (_, index) => `${2000 + index}-01`);
  await mentions.keepAll(months.map((month, index) => sample(index, { received: `${month}-01T00:00:00Z` })));
  expect((await readdir(join(dir, 'index'))).length).toBe(22);

  const marks = await openDirtyMarks(join(dir, 'index', 'dirty.jsonl'));
  const { parts } = await openIndexFiles({
    ...{ dir, marks, onChange: () => undefined },
    read: () => Promise.reject(new Error('Nothing is to be read: the index is whole.')),
  });
  async function openAll(some: readonly string[]): Promise<IndexPart[]> {
    const all: IndexPart[] = [];
    for (const month of some) all.push(await parts.use(month, (part) => part));
    return all;
  }

  const first = await openAll(months);
  const again = await openAll(months.slice(8));
  expect(again.map((part, index) => part === first[index + 8])).toEqual(again.map(() => true));
  const forgotten = await openAll(months.slice(0, 8));
  expect(forgotten.map((part, index) => part === first[index])).toEqual(forgotten.map(() => false));
});
