import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IndexRow } from '../../../src-main/micropub/index-line.ts';
import { journalOf, openMonthIndex } from '../../../src-main/micropub/month-index.ts';
import type { PostEntry } from '../../../src-main/micropub/post-entry.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

function entry(slug: string, at: number): PostEntry {
  return {
    ...{ slug, at, publishedAt: at, kind: 'note', status: 'published', visibility: 'public' },
    ...{ deleted: false, categories: [], media: [], text: slug, cut: false },
  };
}

/** A month whose documents are `rows`; `reads` are the slugs whose documents were read. */
async function month(rows: Record<string, IndexRow>) {
  const dir = await temporaryFolder();
  const reads: string[] = [];
  const documents = new Map(Object.entries(rows));
  for (const slug of documents.keys()) await writeFile(join(dir, `${slug}.json`), '');
  const open = () =>
    openMonthIndex({
      dir,
      read: (slug) => {
        reads.push(slug);
        return Promise.resolve(documents.get(slug) ?? null);
      },
      settle: () => Promise.resolve(),
    });
  async function put(row: IndexRow): Promise<void> {
    await writeFile(join(dir, `${row.slug}.json`), '');
    documents.set(row.slug, row);
  }
  const lines = async () => (await readFile(journalOf(dir), 'utf8')).split('\n').slice(0, -1);
  return { dir, documents, reads, open, put, lines, journal: journalOf(dir) };
}

describe('the index of a month', () => {
  test('is made from the documents once, and after that reads none of them', async () => {
    const { reads, open } = await month({
      a: entry('a', 1),
      b: entry('b', 2),
      c: { slug: 'c', moved: true },
    });
    expect((await open()).entries().map(({ slug }) => slug)).toEqual(['b', 'a']);
    expect(reads.sort()).toEqual(['a', 'b', 'c']);
    expect((await open()).entries().map(({ slug }) => slug)).toEqual(['b', 'a']);
    expect(reads).toHaveLength(3);
  });

  test('says that a document changes before it changes, and what it holds after', async () => {
    const { open, put, lines } = await month({ a: entry('a', 1) });
    const index = await open();
    await index.recording('a', async () => {
      expect((await lines()).at(-1)).toBe('{"slug":"a","dirty":true}');
      await put(entry('a', 5));
    });
    expect(JSON.parse((await lines()).at(-1) ?? '')).toEqual(entry('a', 5));
    expect(index.entries()).toEqual([entry('a', 5)]);
  });

  test('stays marked while one of two changes of a document is under way', async () => {
    const { open, lines } = await month({ a: entry('a', 1) });
    const index = await open();
    let finish = (): void => undefined;
    const slow = index.recording('a', () => new Promise<void>((resolve) => (finish = resolve)));
    await index.recording('a', () => Promise.resolve());
    expect((await lines()).at(-1)).toBe('{"slug":"a","dirty":true}');
    finish();
    await slow;
    expect(JSON.parse((await lines()).at(-1) ?? '')).toEqual(entry('a', 1));
  });

  test('reads again only the documents whose change was cut short', async () => {
    const { journal, reads, open, put } = await month({ a: entry('a', 1), b: entry('b', 2) });
    await open();
    reads.length = 0;
    await put(entry('a', 9));
    await appendFile(journal, '{"slug":"a","dirty":true}\n');
    expect((await open()).entries()).toEqual([entry('a', 9), entry('b', 2)]);
    expect(reads).toEqual(['a']);
  });

  test('is rewritten when it is more than twice as long as needed, with what is under way still marked', async () => {
    const { open, lines } = await month({ a: entry('a', 1), b: entry('b', 2) });
    const index = await open();
    let finish = (): void => undefined;
    const slow = index.recording('b', () => new Promise<void>((resolve) => (finish = resolve)));
    let longest = 0;
    for (let change = 0; change < 300; change += 1) {
      await index.recording('a', () => Promise.resolve());
      longest = Math.max(longest, (await lines()).length);
    }
    expect(longest).toBeGreaterThan(190);
    expect(longest).toBeLessThanOrEqual(202);
    expect((await lines()).filter((line) => line === '{"slug":"b","dirty":true}').length).toBeGreaterThan(0);
    finish();
    await slow;
    expect((await open()).entries()).toEqual([entry('b', 2), entry('a', 1)]);
  });

  test('gives a slug once, and one whose document did not come about again', async () => {
    const { open } = await month({ a: entry('a', 1) });
    const index = await open();
    expect([index.reserve('a'), index.reserve('a'), index.reserve('b')]).toEqual(['a-2', 'a-3', 'b']);
    index.release('b');
    expect(index.reserve('b')).toBe('b');
  });
});
