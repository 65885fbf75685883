import { appendFile, mkdir, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkMentions } from '../../../src-main/webmention/check-mentions.ts';
import { createMentionStore } from '../../../src-main/webmention/mentions-on-disk.ts';
import { pageFile, pageKeyOf } from '../../../src-main/webmention/page-document.ts';
import { collected, everyMention, newMentionStore } from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';
import { readJsonFile, systemError, watchedOperations } from '../../support/storage-folder.ts';

/** Three pages with twelve mentions of three months, four of them imported. */
async function filledStore() {
  const store = await newMentionStore();
  const { mentions } = store;
  const page = (number: number) => `${target}/${number % 3}`;
  const wanted = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 0
      ? importedSample(20_000 * (index + 1), {
          target: page(index / 3),
          received: `2020-0${1 + (index % 2)}-01T00:00:00Z`,
        })
      : sample(index, { target: page(index) }),
  );
  await mentions.keepAll(wanted);
  return { ...store, list: await everyMention(mentions, 50) };
}

const sound = { mentions: 12, problems: [] };

describe('the folder of mentions', () => {
  test('has a document a page, an index and a sequence, and is the same after a restart', async () => {
    const { dir, open, list } = await filledStore();
    expect((await readdir(dir)).sort()).toEqual(['index', 'pages', 'sequence.json']);
    expect(await readJsonFile(pageFile(dir, pageKeyOf(`${target}/1`)))).toMatchObject({
      ...{ format: 1, target: `${target}/1` },
      mentions: [1, 80_000, 4, 7, 10].map((number) => ({ source: sample(number).source })),
    });
    expect(await everyMention(open(), 5)).toEqual(list);
    expect(await checkMentions(dir)).toEqual(sound);
  });

  test('is not made by asking', async () => {
    const { dir, mentions } = await newMentionStore();
    expect(await everyMention(mentions, 5)).toEqual([]);
    expect(await mentions.pages()).toEqual([]);
    expect(await mentions.counts()).toEqual([]);
    expect(await collected(mentions.all())).toEqual([]);
    expect(await collected(mentions.importedIds())).toEqual([]);
    expect(await mentions.get(`${'A'.repeat(43)}.x`)).toBeUndefined();
    expect(await readdir(dir)).toEqual([]);
  });

  test('does not write what changes nothing', async () => {
    const { dir, mentions, list } = await filledStore();
    const changedAt = async () => {
      const names = await readdir(dir, { recursive: true });
      return Promise.all(names.sort().map(async (name) => (await stat(join(dir, name))).mtimeMs));
    };
    const before = await changedAt();
    const [first] = list;
    await mentions.keepAll(
      list.map((one) => ({ ...one, status: 'approved' as const, wmId: one.imported && one.wmId })),
    );
    await mentions.setStatus(first?.id ?? '', 'approved', 'source');
    await mentions.restore(first?.id ?? '');
    expect(await changedAt()).toEqual(before);
  });
});

describe('the index', () => {
  test('is made anew where it is missing', async () => {
    const { dir, open, list, mentions } = await filledStore();
    const [pages, counts] = [await mentions.pages(), await mentions.counts()];
    await rm(join(dir, 'index'), { recursive: true });
    const again = open();
    expect(await everyMention(again, 5)).toEqual(list);
    expect(await again.pages()).toEqual(pages);
    expect(await again.counts()).toEqual(counts);
    expect(await checkMentions(dir)).toEqual(sound);
  });

  test.each(['pages', 'dirty', '2020-01', '2026-11', 'imported-2'])(
    'is made good where %s.jsonl is missing, is torn, or has other lines',
    async (name) => {
      const { dir, open, list, warnings } = await filledStore();
      const file = join(dir, 'index', `${name}.jsonl`);
      const damages: (() => Promise<void>)[] = [
        () => rm(file, { force: true }),
        async () => {
          await appendFile(file, '');
          await truncate(file, Math.max(0, (await stat(file)).size - 5));
        },
        () => writeFile(file, ''),
        () => appendFile(file, '{"id":"x","at":"y"}\nnot JSON\n'),
        () => appendFile(file, '{"half'),
      ];
      for (const [index, damage] of damages.entries()) {
        await damage();
        const mentions = open();
        expect(await everyMention(mentions, 5), `damage ${index}`).toEqual(list);
        expect((await collected(mentions.importedIds())).length).toBe(4);
        expect(await mentions.byWmId(20_000)).toBeDefined();
        for (const wmId of [1, 4, 7, 10]) await mentions.byWmId(wmId * 20_000);
        expect(await checkMentions(dir), `damage ${index}`).toEqual(sound);
      }
      expect(warnings).toEqual([]);
    },
  );

  test('notices a document that came, and one that went', async () => {
    const { dir, open, list } = await filledStore();
    const other = await newMentionStore();
    const { mention } = await other.mentions.keep(sample(1, { target: `${target}/other` }));
    const key = pageKeyOf(`${target}/other`);
    await writeFile(pageFile(dir, key), await readFile(pageFile(other.dir, key)));
    expect(await everyMention(open(), 50)).toContainEqual(mention);
    expect(await checkMentions(dir)).toEqual({ mentions: 13, problems: [] });
    await rm(pageFile(dir, key));
    expect(await everyMention(open(), 50)).toEqual(list);
    expect(await checkMentions(dir)).toEqual(sound);
  });

  test('stays short, however often a mention changes', async () => {
    const { dir, mentions } = await newMentionStore();
    const { id } = (await mentions.keep(sample())).mention;
    for (let turn = 0; turn < 300; turn += 1) {
      await mentions.setStatus(id, turn % 2 === 0 ? 'hidden' : 'held', 'owner');
    }
    for (const name of ['dirty', '2026-11']) {
      const lines = (await readFile(join(dir, 'index', `${name}.jsonl`), 'utf8')).split('\n').length - 1;
      expect(lines).toBeLessThanOrEqual(201);
    }
    expect(await checkMentions(dir)).toEqual({ mentions: 1, problems: [] });
  });
});

describe('a document that cannot be used', () => {
  test('gives way to the version before it, and the index follows', async () => {
    const { dir, open, mentions, recoveries } = await newMentionStore();
    const { mention: first } = await mentions.keep(sample(1));
    await mentions.keep(importedSample(2));
    await writeFile(pageFile(dir, pageKeyOf(target)), '{"format":1,');
    const again = open();
    expect(await again.get(first.id)).toEqual(first);
    expect(recoveries).toMatchObject([{ recoveredFrom: 'previous' }]);
    expect(await everyMention(again, 5)).toEqual([first]);
    expect(await collected(again.importedIds())).toEqual([]);
    expect(await again.pages()).toMatchObject([{ statuses: { approved: 1 } }]);
    expect(await checkMentions(dir)).toEqual({ mentions: 1, problems: [] });
  });

  test('is noticed also where it is met in a list, and hides no other', async () => {
    const { dir, open, list, recoveries } = await filledStore();
    const key = pageKeyOf(`${target}/1`);
    const others = list.filter((one) => one.target !== `${target}/1`);
    await writeFile(pageFile(dir, key), 'x');
    await rm(`${pageFile(dir, key)}.previous`, { force: true });
    const mentions = open();
    expect(await everyMention(mentions, 3)).toEqual(others);
    expect(recoveries).toMatchObject([{ recoveredFrom: 'nothing' }]);
    expect(await mentions.pages()).toHaveLength(2);
    expect(await checkMentions(dir)).toEqual({ mentions: others.length, problems: [] });
  });

  test('is refused with nobody to tell: it is left as it is, the others are listed', async () => {
    const { dir, list } = await filledStore();
    const file = pageFile(dir, pageKeyOf(`${target}/1`));
    await writeFile(file, 'x');
    const warnings: unknown[] = [];
    const log = { warn: (warning: unknown) => void warnings.push(warning) };
    const mentions = createMentionStore({ dir, now: Date.now, log });
    const others = list.filter((one) => one.target !== `${target}/1`);
    const [lost] = list.filter((one) => one.target === `${target}/1`);
    expect(await everyMention(mentions, 50)).toEqual(others);
    await expect(mentions.get(lost?.id ?? '')).rejects.toMatchObject({ code: 'storage_broken' });
    await expect(mentions.keep(sample(1, { target: `${target}/1` }))).rejects.toMatchObject({
      code: 'storage_broken',
    });
    expect(await readFile(file, 'utf8')).toBe('x');
    expect(warnings.length).toBeGreaterThan(0);
  });

  test('a lost sequence starts above every number in use', async () => {
    const { dir, open, list } = await filledStore();
    const highest = Math.max(...list.map(({ wmId }) => wmId));
    for (const damage of ['missing', 'broken']) {
      await rm(join(dir, 'sequence.json.previous'), { force: true });
      if (damage === 'missing') await rm(join(dir, 'sequence.json'));
      else await writeFile(join(dir, 'sequence.json'), '{');
      const { mention } = await open().keep(sample(1, { source: `https://new.example/${damage}` }));
      expect(mention.wmId).toBeGreaterThan(highest);
    }
  });
});

describe('a full disk', () => {
  test('refuses a mention, and keeps nothing of it', async () => {
    const operations = watchedOperations();
    const { dir, mentions } = await newMentionStore(operations);
    const { mention } = await mentions.keep(sample(1));
    operations.before = (name) => {
      if (name === 'rename') throw systemError('ENOSPC');
    };
    await expect(mentions.keep(sample(2))).rejects.toMatchObject({ code: 'storage_full' });
    await expect(mentions.setStatus(mention.id, 'hidden', 'owner')).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(await everyMention(mentions, 5)).toEqual([mention]);
    operations.before = () => undefined;
    expect((await mentions.keep(sample(2, { facts: facts('like') }))).outcome).toBe('added');
    expect(await everyMention(mentions, 5)).toHaveLength(2);
    expect((await checkMentions(dir)).mentions).toBe(2);
  });

  test('that takes the document but not the index loses nothing: the index is mended when there is room', async () => {
    const { dir, mentions, open, warnings } = await newMentionStore();
    const { mention: first } = await mentions.keep(sample(1));
    const file = join(dir, 'index', '2026-11.jsonl');
    await rm(file);
    await mkdir(file); // stands for a disk that refuses this file
    const { mention: second, outcome } = await mentions.keep(sample(2));
    expect(outcome).toBe('added');
    expect(warnings).toHaveLength(1);
    expect(await everyMention(mentions, 5)).toEqual([second, first]);
    await rm(file, { recursive: true });
    expect(await mentions.pages()).toMatchObject([{ statuses: { approved: 2 } }]);
    expect(await checkMentions(dir)).toEqual({ mentions: 2, problems: [] });
    expect(await everyMention(open(), 5)).toEqual([second, first]);
  });
});
