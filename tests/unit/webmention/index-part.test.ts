import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IndexRow, MentionRow } from '../../../src-main/webmention/mention-index-row.ts';
import { foldedRows, rangeOf, rowsOf } from '../../../src-main/webmention/mention-index-row.ts';
import { openIndexPart } from '../../../src-main/webmention/mention-index-part.ts';
import { openPagesIndex, pageRowOf } from '../../../src-main/webmention/mention-index-pages.ts';
import { newMention } from '../../../src-main/webmention/moderation.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const now = '2026-11-20T10:00:00.000Z';

function row(id: string, at = 1): MentionRow {
  const rest = { source: '', host: '', type: 'like', status: 'held', wmId: 1, text: '' } as const;
  return { id, at, ...rest, cut: false, chosen: false };
}

/** A part whose documents hold `documents`; `refills` counts how often they were read. */
async function newPart(documents: IndexRow[] = []) {
  const file = join(await temporaryFolder(), '2026-11.jsonl');
  const told = { refills: 0 };
  const refill = () => {
    told.refills += 1;
    return Promise.resolve(new Map(documents.map((one) => [one.id, one])));
  };
  const lines = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return { file, told, lines, open: () => openIndexPart({ file, refill }) };
}

describe('what the index holds of a mention', () => {
  test('is filed under its month in UTC, and an imported one under its number too', () => {
    const late = newMention(sample(1, { received: '2026-10-31T23:59:59Z' }), 'a', 5, now);
    expect(rowsOf(late).map(([part]) => part)).toEqual(['2026-10']);
    const imported = newMention(importedSample(12_345), 'b', 12_345, now);
    expect(rowsOf(imported).map(([part]) => part)).toEqual(['2019-03', 'imported-1']);
    expect(rowsOf(imported)[1]?.[1]).toEqual({ id: 'b', wmId: 12_345 });
    expect([0, 9999, 10_000, 1_999_999].map(rangeOf)).toEqual([
      ...['imported-0', 'imported-0', 'imported-1', 'imported-199'],
    ]);
  });

  test('has the start of its text in lower case, and says whether there is more', () => {
    const rowFor = (text: string) =>
      rowsOf(newMention(sample(1, { facts: facts('reply', text) }), 'a', 5, now))[0]?.[1];
    const author = 'ada lovelace\n';
    expect(rowFor('Short.')).toMatchObject({ text: `${author}short.`, cut: false });
    const long = 'X'.repeat(280 - author.length);
    expect(rowFor(long)).toMatchObject({ text: author + long.toLowerCase(), cut: false });
    expect(rowFor(`${long}Y`)).toMatchObject({ text: author + long.toLowerCase(), cut: true });
  });

  test('is what the last line of the mention says; other lines are no reason to fail', () => {
    const lines = [row('a', 1), row('b', 1), { id: 'b', gone: true }, row('a', 2)];
    expect(foldedRows(lines)).toEqual({ rows: new Map([['a', row('a', 2)]]), whole: true });
    expect(foldedRows([...lines, 5, null, { id: 'c' }, { ...row('d'), more: 1 }])).toMatchObject({
      ...{ rows: new Map([['a', row('a', 2)]]), whole: false },
    });
  });
});

describe('a part of the index', () => {
  test('is read from its file, newest first, and not from documents', async () => {
    const { open, told } = await newPart();
    const part = await open();
    await part.put([row('a', 1), row('c', 3), row('b', 3)].map((one) => [one.id, one]));
    const refills = told.refills;
    const again = await open();
    expect(again.newestFirst().map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    expect(told.refills).toBe(refills);
  });

  test('shows a change at once, and writes only what differs', async () => {
    const { open, lines } = await newPart();
    const part = await open();
    await part.put([['a', row('a')]]);
    const before = part.newestFirst();
    const writing = part.put([
      ['a', row('a', 2)],
      ['b', row('b')],
    ]);
    expect(part.newestFirst().map(({ id }) => id)).toEqual(['a', 'b']);
    expect(before).toHaveLength(1);
    await writing;
    await part.put([
      ['a', row('a', 2)],
      ['b', undefined],
      ['c', undefined],
    ]);
    expect(await lines()).toEqual(
      [row('a'), row('a', 2), row('b'), { id: 'b', gone: true }].map((one) => JSON.stringify(one)),
    );
  });

  test('is made from the documents where its file is empty or has a line that is not ours', async () => {
    for (const text of ['', 'x\n', `${JSON.stringify(row('a'))}\n{"id"`]) {
      const { file, open, told, lines } = await newPart([row('a', 9), row('b')]);
      await writeFile(file, text);
      expect([...(await open()).rows.keys()]).toEqual(['a', 'b']);
      expect(told.refills).toBe(1);
      expect(await lines()).toHaveLength(2);
    }
  });
});

test('the index of pages stays short, and keeps the last line of each page', async () => {
  const file = join(await temporaryFolder(), 'pages.jsonl');
  const pages = await openPagesIndex(file);
  const mention = newMention(sample(), 'a', 5, now);
  const rowFor = (status: 'held' | 'hidden') =>
    pageRowOf('p', { target, mentions: [{ ...mention, status }] });
  await pages.put([['q', pageRowOf('q', { target, mentions: [mention] })]]);
  await pages.put([['gone', pageRowOf('gone', { target, mentions: [mention] })]]);
  await pages.put([['gone', pageRowOf('gone', { target, mentions: [] })]]);
  for (let turn = 0; turn < 1100; turn += 1)
    await pages.put([['p', rowFor(turn % 2 === 0 ? 'held' : 'hidden')]]);
  expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThan(1005);
  const { rows, whole } = await pages.read();
  expect(whole).toBe(true);
  expect([...rows.keys()].sort()).toEqual(['p', 'q']);
  expect(rows.get('p')?.about).toEqual({ target, types: {}, statuses: { hidden: 1 }, newest: now });
});
