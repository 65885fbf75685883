import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { NewMention, SourceFacts } from '../../../src-main/mentions/mention.ts';
import type { Records } from '../../../src-main/storage/records/records.ts';
import { newMentionStore } from '../../support/mention-folder.ts';
import { facts, sample, target } from '../../support/mention-samples.ts';

const kilobyte = 1024;

/** As much of everything as reading a source ever gave, in characters of three bytes. */
function greedyFacts(seed: number): SourceFacts {
  const address = (name: string, index: number) => `https://m.example/${name}/${index}/${'%E7'.repeat(600)}`;
  const list = (name: string) => Array.from({ length: 20 }, (_, index) => address(name, index));
  return {
    ...facts('reply', `${seed}${'界'.repeat(19_000)}`),
    content: { html: `<p>${'界'.repeat(49_000)}</p>`, value: `${seed}${'界'.repeat(19_000)}` },
    name: '界'.repeat(500),
    author: { name: '界'.repeat(500), url: address('author', seed), photo: address('me', seed) },
    photo: list('photo'),
    video: list('video'),
    audio: list('audio'),
    syndication: list('copy'),
  };
}

const greedy = (number: number, rest: Partial<NewMention> = {}) =>
  sample(number, {
    facts: greedyFacts(number),
    snapshot: { title: '界'.repeat(500), text: '界'.repeat(2000) },
    ...rest,
  });

/** Returns the processor time of `work`, in ms. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Returns what the heap holds, without garbage, in MB. Other test files of this process hold something, too. */
function heapMb(): number {
  v8.setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / kilobyte / kilobyte;
}

/** What the mentions take on disk. */
function onDisk(records: Records): { bytes: number; longest: number } {
  const sizes = records.rows(
    ({ size }) => Number(size),
    'SELECT length(CAST(mention AS BLOB)) AS size FROM mentions',
  );
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), longest: Math.max(0, ...sizes) };
}

describe('one mention', () => {
  test('a mention takes at most 32 KB on disk, and names what was cut', async () => {
    const { records, mentions } = await newMentionStore();
    const { mention } = await mentions.keep(greedy(1));
    expect(onDisk(records).longest).toBeLessThan(32 * kilobyte);
    expect(mention.facts.content?.value).toMatch(/^1界+…$/u);
    expect(mention.facts.shortened).toContain('content');
    expect(mention.facts.shortened).toContain('video');
  });

  test('takes at most 32 KB after a hundred changes too', async () => {
    const { records, mentions } = await newMentionStore();
    const { mention } = await mentions.keep(greedy(1));
    for (let change = 0; change < 110; change += 1)
      await mentions.setStatus(mention.id, change % 2 === 0 ? 'hidden' : 'held', 'owner');
    expect(onDisk(records).longest).toBeLessThan(32 * kilobyte);
  });

  test('an imported mention takes at most 32 KB, and keeps its number', async () => {
    const { records, mentions } = await newMentionStore();
    const originals = { jf2: { 'wm-id': 7, x: '界'.repeat(9000) }, json: { id: 7, x: '界'.repeat(9000) } };
    const imported = greedy(1, { wmId: 7, imported: originals });
    const { mention } = await mentions.keep(imported);
    expect(onDisk(records).longest).toBeLessThan(32 * kilobyte);
    expect([mention.wmId, mention.imported]).toEqual([7, { shortened: true }]);
    // Importing it again changes nothing.
    expect((await mentions.keep(imported)).outcome).toBe('unchanged');
  });

  test('of usual length stays unchanged', async () => {
    const { mentions } = await newMentionStore();
    const long = facts('reply', 'A long answer. '.repeat(1000));
    const { mention } = await mentions.keep(sample(1, { facts: long, snapshot: { text: 'Said.' } }));
    expect([mention.facts, mention.snapshot]).toEqual([long, { text: 'Said.' }]);
  });

  test('whose addresses alone are too long is refused', async () => {
    const { mentions } = await newMentionStore();
    const source = `https://friend.example/${'界'.repeat(10_000)}`;
    await expect(mentions.keep(sample(1, { source }))).rejects.toMatchObject({ code: 'page_full' });
  });
});

describe('one page', () => {
  test(
    'a page with a thousand worst-case mentions neither fills the memory nor stalls the server',
    { timeout: 360_000 },
    async () => {
      const before = heapMb();
      const { records, mentions } = await newMentionStore();
      for (let batch = 0; batch < 10; batch += 1)
        await mentions.keepAll(
          Array.from({ length: 100 }, (_, index) =>
            greedy(index, { source: `https://n${batch}.mallory-${index % 20}.example/${index}` }),
          ),
        );
      expect(onDisk(records).bytes).toBeLessThan(9 * kilobyte * kilobyte);
      // A like still has room, and costs little.
      const like = sample(5000, { source: 'https://bea.example/like', facts: facts('like', '') });
      expect(await cpuMsOf(() => mentions.keep(like))).toBeLessThan(1000);
      expect(heapMb() - before).toBeLessThan(100);
      expect(await mentions.find('https://bea.example/like', target)).toBeDefined();
    },
  );

  test(
    'one site can’t fill a page: its further mentions are refused, and those of others are not',
    { timeout: 180_000 },
    async () => {
      const { records, mentions } = await newMentionStore();
      const ofMallory = (number: number) => greedy(number, { source: `https://n${number}.mallory.example/` });
      const kept = await mentions.keepAll(Array.from({ length: 400 }, (_, number) => ofMallory(number)));
      expect(kept.length).toBeLessThan(400);
      expect(onDisk(records).bytes).toBeLessThan(2.3 * kilobyte * kilobyte);
      await expect(mentions.keep(ofMallory(400))).rejects.toMatchObject({ code: 'page_full', status: 503 });
      const { mention } = await mentions.keep(greedy(1, { source: 'https://bea.example/reply' }));
      expect(mention.facts.content?.value.length).toBeGreaterThan(1000);
      // A new text of a stored mention still arrives.
      const again = { ...ofMallory(0), facts: facts('reply', 'Changed.') };
      expect(await mentions.keep(again)).toMatchObject({ outcome: 'updated' });
    },
  );

  test('has room for a viral post: a bridge’s thousand mentions, and two thousand from everywhere', async () => {
    const { mentions } = await newMentionStore();
    const reply = facts('reply', 'What a post! '.repeat(20));
    const bridged = Array.from({ length: 1000 }, (_, number) =>
      sample(number, { source: `https://bridge.example/like/${number}`, facts: reply }),
    );
    const others = Array.from({ length: 2000 }, (_, number) =>
      sample(number, { source: `https://site-${number}.example/`, facts: reply }),
    );
    const kept = await mentions.keepAll([...bridged, ...others]);
    expect(kept).toHaveLength(3000);
    expect(kept.filter(({ mention }) => mention.facts.shortened !== undefined)).toEqual([]);
  });

  test(
    'takes imported mentions beside those that came here, with a limit of their own',
    { timeout: 180_000 },
    async () => {
      const { records, mentions } = await newMentionStore();
      const imported = Array.from({ length: 600 }, (_, number) =>
        greedy(number, { wmId: number + 1, imported: { jf2: { 'wm-id': number + 1 } } }),
      );
      expect(await mentions.keepAll(imported)).toHaveLength(600);
      expect(onDisk(records).bytes).toBeLessThan(33 * kilobyte * kilobyte);
      expect((await mentions.keep(sample(9999))).outcome).toBe('added');
    },
  );
});
