import {
  appendFile,
  copyFile,
  mkdir,
  open,
  readFile,
  readdir,
  rm,
  stat,
  truncate,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkMentions } from '../../../src-main/mentions/check-mentions.ts';
import { createMentionStore } from '../../../src-main/mentions/mentions-on-disk.ts';
import {
  collected,
  everyMention,
  linesIn,
  mentionTablesIn,
  newMentionStore,
} from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';
import { systemError, temporaryFolder } from '../../support/storage-folder.ts';

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
const november = (dir: string) => join(dir, '2026', '11.jsonl');

describe('the folder of mentions', () => {
  test('has a file a month of arrival, a line a mention, and is the same after a restart', async () => {
    const { dir, open, list } = await filledStore();
    const files = await linesIn(dir);
    expect([...files].map(([name, lines]) => [name, lines.length])).toEqual([
      ['2020/01.jsonl', 2],
      ['2020/02.jsonl', 2],
      ['2026/11.jsonl', 8],
    ]);
    const [first = ''] = files.get('2026/11.jsonl') ?? [];
    expect(JSON.parse(first)).toMatchObject({ format: 1, source: sample(1).source, status: 'approved' });
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
    expect(await mentions.get('x')).toBeUndefined();
    expect(await readdir(dir)).toEqual([]);
  });

  test('does not write what changes nothing', async () => {
    const { dir, mentions, list } = await filledStore();
    const before = await linesIn(dir);
    const [first] = list;
    await mentions.keepAll(
      list.map((one) => ({ ...one, status: 'approved' as const, wmId: one.imported && one.wmId })),
    );
    await mentions.setStatus(first?.id ?? '', 'approved', 'source');
    await mentions.restore(first?.id ?? '');
    expect(await linesIn(dir)).toEqual(before);
  });

  test('a change costs a line, in the file of the month in which the mention arrived', async () => {
    const { dir, mentions, list } = await filledStore();
    const old = list.find(({ received }) => received.startsWith('2020-01'));
    const others = (await linesIn(dir)).get('2026/11.jsonl');
    await mentions.setStatus(old?.id ?? '', 'hidden', 'owner');
    expect((await linesIn(dir)).get('2020/01.jsonl')).toHaveLength(3);
    expect((await linesIn(dir)).get('2026/11.jsonl')).toEqual(others);
  });

  test('stays short, however often a mention changes', async () => {
    const { dir, mentions, open } = await newMentionStore();
    const { id } = (await mentions.keep(sample())).mention;
    await mentions.keep(sample(2));
    for (let turn = 0; turn < 700; turn += 1)
      await mentions.setStatus(id, turn % 2 === 0 ? 'hidden' : 'held', 'owner');
    expect((await linesIn(dir)).get('2026/11.jsonl')?.length).toBeLessThanOrEqual(210);
    expect(await everyMention(open(), 5)).toEqual(await everyMention(mentions, 5));
    expect(await checkMentions(dir)).toEqual({ mentions: 2, problems: [] });
    // What follows a tidied file is appended to it.
    await mentions.setStatus(id, 'approved', 'owner');
    expect((await open().get(id))?.status).toBe('approved');
  });
});

describe('the index of mentions', () => {
  /** Uses a folder with an index in a file, changes something meanwhile, and opens both again. */
  async function reopened(damage: (paths: { dir: string; index: string }) => Promise<void>) {
    const { dir, open, recoveries, warnings } = await filledStore();
    const file = join(await temporaryFolder(), 'index.sqlite');
    const before = mentionTablesIn(file);
    const first = open(before);
    const list = await everyMention(first, 50);
    await first.close();
    before.close();
    await damage({ dir, index: file });
    const index = mentionTablesIn(file);
    const mentions = open(index);
    const now = await everyMention(mentions, 50);
    expect((await checkMentions(dir, index)).problems).toEqual([]);
    return { dir, index, list, now, mentions, recoveries, warnings };
  }

  test.each([
    ['is there', () => Promise.resolve()],
    ['is missing', ({ index }: { index: string }) => rm(index)],
    ['is damaged', ({ index }: { index: string }) => writeFile(index, 'not a database')],
  ])('says the same if it %s', async (_what, damage) => {
    const { list, now, warnings, recoveries } = await reopened(damage);
    expect(now).toEqual(list);
    expect([...warnings, ...recoveries]).toEqual([]);
  });

  test('follows a file that grew, one that went, one that came and one that was replaced', async () => {
    const other = await newMentionStore();
    const { mention: came } = await other.mentions.keep(sample(50));
    const line = (await linesIn(other.dir)).get('2026/11.jsonl')?.[0] ?? '';
    const grown = await reopened(({ dir }) => appendFile(november(dir), `${line}\n`));
    expect(grown.now).toContainEqual(came);
    expect(grown.now).toHaveLength(13);

    const gone = await reopened(({ dir }) => rm(join(dir, '2020', '01.jsonl')));
    expect(gone.now).toEqual(gone.list.filter(({ received }) => !received.startsWith('2020-01')));

    const added = await reopened(async ({ dir }) => {
      await mkdir(join(dir, '2025'));
      await copyFile(november(other.dir), join(dir, '2025', '12.jsonl'));
    });
    expect(added.now).toHaveLength(13);

    const replaced = await reopened(async ({ dir }) => {
      await rm(november(dir));
      await copyFile(november(other.dir), november(dir));
    });
    expect(replaced.now).toHaveLength(5);

    const edited = await reopened(async ({ dir }) => {
      const text = await readFile(november(dir), 'utf8');
      await writeFile(
        november(dir),
        text.replaceAll('approved', 'rejected').replaceAll('rejected', 'approved'),
      );
    });
    expect(edited.now).toEqual(edited.list);
  });

  test('counts a line that a kill cut off for nothing, and the next line takes its place', async () => {
    const { dir, index, list, now, mentions, recoveries } = await reopened(({ dir: folder }) =>
      appendFile(november(folder), '{"format":1,"id":"torn","sou'),
    );
    expect(now).toEqual(list);
    expect(recoveries).toEqual([]);
    const { mention } = await mentions.keep(sample(60));
    expect((await linesIn(dir)).get('2026/11.jsonl')?.at(-1)).toContain(mention.id);
    expect(await checkMentions(dir, index)).toEqual({ mentions: 13, problems: [] });
  });

  test('is compared with the files by --check, which finds what differs', async () => {
    const { dir, index } = await reopened(() => Promise.resolve());
    index.run('UPDATE mentions SET status = ? WHERE id = 3', 'hidden');
    const { problems } = await checkMentions(dir, index);
    expect(problems).toEqual([expect.stringContaining('The index of mentions differs')]);
  });

  test('gives numbers above all that were ever in use', async () => {
    const { list, mentions } = await reopened(({ index }) => rm(index));
    const highest = Math.max(...list.map(({ wmId }) => wmId));
    const { mention } = await mentions.keep(sample(1, { source: 'https://new.example/' }));
    expect(mention.wmId).toBe(highest + 1);
    await mentions.keep(importedSample(highest + 500));
    const next = await mentions.keep(sample(1, { source: 'https://newer.example/' }));
    expect(next.mention.wmId).toBe(highest + 501);
  });
});

describe('a line that cannot be used', () => {
  test.each(['not JSON', '{"format":1,"id":"x","at":"y"}', '[]', '{"id":"x"}'])(
    '(%s) is kept aside and hides no other, and the owner hears of it once',
    async (line) => {
      const { dir, open, list, recoveries } = await filledStore();
      const [first = '', ...rest] = (await linesIn(dir)).get('2026/11.jsonl') ?? [];
      await writeFile(november(dir), `${[first, line, ...rest].join('\n')}\n`);
      expect(await everyMention(open(), 5)).toEqual(list);
      expect(recoveries).toMatchObject([{ file: november(dir), recoveredFrom: 'rest' }]);
      expect(await readFile(recoveries[0]?.movedTo ?? '', 'utf8')).toContain(line);
      expect((await linesIn(dir)).get('2026/11.jsonl')).toEqual([first, ...rest]);
      expect(await everyMention(open(), 5)).toEqual(list);
      expect(recoveries).toHaveLength(1);
      expect(await checkMentions(dir)).toEqual(sound);
    },
  );

  test('loses only the values that are not valid', async () => {
    const { dir, open, recoveries } = await newMentionStore();
    const mentions = open();
    const { mention } = await mentions.keep(sample(1));
    const [line = ''] = (await linesIn(dir)).get('2026/11.jsonl') ?? [];
    const stored = JSON.parse(line) as { facts: object };
    const damaged = { ...stored, facts: { ...stored.facts, rsvp: 7 }, later: 'kept' };
    await writeFile(november(dir), `${JSON.stringify(damaged)}\n`);
    expect(await open().get(mention.id)).toEqual({ ...mention, later: 'kept' });
    expect(recoveries).toMatchObject([{ recoveredFrom: 'rest' }]);
    expect(await open().get(mention.id)).toEqual({ ...mention, later: 'kept' });
    expect(recoveries).toHaveLength(1);
  });

  test('is refused with nobody to tell: the file is left as it is, and other months are listed', async () => {
    const { dir, list } = await filledStore();
    await appendFile(november(dir), 'x\n');
    const text = await readFile(november(dir), 'utf8');
    const warnings: unknown[] = [];
    const log = { warn: (warning: unknown) => void warnings.push(warning) };
    const mentions = createMentionStore({ dir, index: mentionTablesIn(), now: Date.now, log });
    expect(await everyMention(mentions, 50)).toEqual(expect.arrayContaining(list.slice(-4)));
    await expect(mentions.keep(sample(77))).rejects.toMatchObject({ code: 'storage_broken' });
    expect(await readFile(november(dir), 'utf8')).toBe(text);
    expect(warnings.length).toBeGreaterThan(0);
  });
});

test.each([
  ['is longer than any of ours', (line: string) => line.replace('{', `{"x":"${'y'.repeat(5_000_000)}",`)],
  ['names a moment that no calendar has', (line: string) => line.replace('2026-11-2', '2026-99-2')],
])('a line that %s is kept aside, and what follows it counts', async (_what, spoil) => {
  const { dir, open: reopen, mentions, recoveries } = await newMentionStore();
  await mentions.keepAll([sample(1), sample(2), sample(3)]);
  const [first = '', second = '', third = ''] = (await linesIn(dir)).get('2026/11.jsonl') ?? [];
  await writeFile(november(dir), `${[first, spoil(second), third].join('\n')}\n`);
  const list = await everyMention(reopen(), 5);
  expect(list.map(({ source }) => source).sort()).toEqual([sample(1).source, sample(3).source].sort());
  expect(recoveries).toMatchObject([{ recoveredFrom: 'rest' }]);
  expect((await linesIn(dir)).get('2026/11.jsonl')).toEqual([first, third]);
});

test('a month of a newer version hides no other, takes nothing new, and is used once it can be read', async () => {
  const { dir, open, list, recoveries } = await filledStore();
  const newer = join(dir, '2020', '01.jsonl');
  const text = await readFile(newer, 'utf8');
  await writeFile(newer, text.replaceAll('"format":1', '"format":2'));
  const mentions = open();
  const others = list.filter(({ received }) => !received.startsWith('2020-01'));
  expect(await everyMention(mentions, 50)).toEqual(others);
  // It may be there, and deleted.
  await expect(mentions.keep(sample(99))).rejects.toMatchObject({ code: 'storage_newer' });
  expect(await mentions.setStatus(others[0]?.id ?? '', 'hidden', 'owner')).toMatchObject({
    status: 'hidden',
  });
  expect(await readFile(newer, 'utf8')).toContain('"format":2');
  expect(recoveries).toEqual([]);
  await writeFile(newer, text);
  expect((await mentions.keep(sample(99))).outcome).toBe('added');
  expect(await everyMention(mentions, 50)).toHaveLength(13);
});

test('a month that cannot be read to its end is not written either', async () => {
  const { dir, open, mentions } = await newMentionStore();
  const wanted = Array.from({ length: 120 }, (_, number) => sample(number));
  const kept = await mentions.keepAll(wanted);
  await appendFile(november(dir), '{"format":2,"id":"later"}\n');
  const text = await readFile(november(dir), 'utf8');
  const again = open();
  const id = kept[0]?.mention.id ?? '';
  // Its first lines are known, its last ones are not.
  expect(await again.get(id)).toBeDefined();
  await expect(again.setStatus(id, 'hidden', 'owner')).rejects.toMatchObject({ code: 'storage_newer' });
  const changed = { ...sample(0), facts: facts('like') };
  await expect(again.keep(changed)).rejects.toMatchObject({ code: 'storage_newer' });
  expect(await readFile(november(dir), 'utf8')).toBe(text);
});

test.each([
  ['grew', (file: string, line: string) => appendFile(file, line)],
  ['was cut', (file: string) => truncate(file, 0)],
])('a month that %s while it is in use loses no line: it is read again', async (_what, change) => {
  const { dir, mentions, open } = await newMentionStore();
  const other = await newMentionStore();
  await other.mentions.keep(sample(50));
  const [line = ''] = (await linesIn(other.dir)).get('2026/11.jsonl') ?? [];
  await mentions.keep(sample(1));
  await change(november(dir), `${line}\n`);
  const text = await readFile(november(dir), 'utf8');
  await expect(mentions.keep(sample(2))).rejects.toMatchObject({ code: 'storage_changed', status: 503 });
  expect(await readFile(november(dir), 'utf8')).toBe(text);
  expect((await mentions.keep(sample(2))).outcome).toBe('added');
  const list = await everyMention(mentions, 10);
  expect(list).toHaveLength((await linesIn(dir)).get('2026/11.jsonl')?.length ?? 0);
  expect(await everyMention(open(), 10)).toEqual(list);
});

describe('a full disk', () => {
  test('refuses a mention, and keeps nothing of it', async () => {
    const { dir, mentions, open: reopen } = await newMentionStore();
    const { mention } = await mentions.keep(sample(1));
    const handle = await open(november(dir), 'r');
    const write = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'write');
    await handle.close();
    write.mockRejectedValue(systemError('ENOSPC'));
    onTestFinished(() => write.mockRestore());
    const full = { code: 'storage_full', status: 507 };
    await expect(mentions.keep(sample(2))).rejects.toMatchObject(full);
    await expect(mentions.setStatus(mention.id, 'hidden', 'owner')).rejects.toMatchObject(full);
    expect(await everyMention(mentions, 5)).toEqual([mention]);
    write.mockRestore();
    expect((await mentions.keep(sample(2, { facts: facts('like') }))).outcome).toBe('added');
    expect(await everyMention(mentions, 5)).toHaveLength(2);
    expect(await everyMention(reopen(), 5)).toEqual(await everyMention(mentions, 5));
    expect(await checkMentions(dir)).toEqual({ mentions: 2, problems: [] });
  });

  test('that took part of a line leaves nothing of it behind', async () => {
    const { dir, mentions, open } = await newMentionStore();
    await mentions.keep(sample(1));
    const { size } = await stat(november(dir));
    await appendFile(november(dir), '{"format":1,"id":"half');
    await mentions.keep(sample(2));
    const lines = (await linesIn(dir)).get('2026/11.jsonl') ?? [];
    expect(lines.map((line) => (JSON.parse(line) as { source: string }).source)).toEqual([
      sample(1).source,
      sample(2).source,
    ]);
    await truncate(november(dir), size);
    expect(await everyMention(open(), 5)).toHaveLength(1);
  });
});

test('a hundred mentions that come together are all there, each with a number of its own', async () => {
  const { dir, mentions, open } = await newMentionStore();
  const wanted = Array.from({ length: 100 }, (_, number) => sample(number % 50));
  const kept = await Promise.all(wanted.map((one) => mentions.keep(one)));
  expect(kept.filter(({ outcome }) => outcome === 'added')).toHaveLength(50);
  const list = await everyMention(open(), 100);
  expect(new Set(list.map(({ wmId }) => wmId)).size).toBe(50);
  expect(await checkMentions(dir)).toEqual({ mentions: 50, problems: [] });
});
