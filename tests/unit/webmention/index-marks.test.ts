import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDirtyMarks } from '../../../src-main/webmention/mention-index-marks.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

async function newMarks() {
  const file = join(await temporaryFolder(), 'dirty.jsonl');
  const lines = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return {
    file,
    lines,
    open: () => openDirtyMarks(file),
    left: async () => [...(await openDirtyMarks(file)).first],
  };
}

/** Work that ends when it is told to. */
function slowWork() {
  let finish = (): void => undefined;
  const ended = new Promise<void>((resolve) => (finish = resolve));
  return { work: () => ended, finish: () => finish() };
}

describe('the mark of a page', () => {
  test('is on disk while the page changes, and gone after', async () => {
    const { open, left } = await newMarks();
    const marks = await open();
    const answer = await marks.during('a', async () => {
      expect(await left()).toEqual(['a']);
      return 7;
    });
    expect(answer).toBe(7);
    expect(await left()).toEqual([]);
  });

  test('stays until the last of several changes has ended', async () => {
    const { open, left } = await newMarks();
    const marks = await open();
    const slow = slowWork();
    const running = marks.during('a', slow.work);
    await marks.during('a', () => Promise.resolve());
    await marks.during('b', () => Promise.resolve());
    expect(await left()).toEqual(['a']);
    slow.finish();
    await running;
    expect(await left()).toEqual([]);
  });

  test('stays where the change fails, through the changes that follow, and is there at the next opening', async () => {
    const { open, left } = await newMarks();
    const marks = await open();
    await expect(marks.during('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await marks.during('a', () => Promise.resolve());
    expect(await left()).toEqual(['a']);
    const again = await open();
    await again.release('a');
    await again.release('never marked');
    expect(await left()).toEqual([]);
  });

  test('outlives the shortening of the file, which stays short', async () => {
    const { open, left, lines } = await newMarks();
    const marks = await open();
    const slow = slowWork();
    const running = marks.during('a', slow.work);
    let longest = 0;
    for (let turn = 0; turn < 250; turn += 1) {
      await marks.during(turn % 2 === 0 ? 'a' : 'b', () => Promise.resolve());
      longest = Math.max(longest, (await lines()).length);
    }
    expect(longest).toBeGreaterThan(190);
    expect(longest).toBeLessThanOrEqual(201);
    expect(await left()).toEqual(['a']);
    slow.finish();
    await running;
    expect(await left()).toEqual([]);
  });

  test('is read though another line is torn, and it is known that one was', async () => {
    const { file, open } = await newMarks();
    await appendFile(
      file,
      '{"page":"a","dirty":true}\n{"page":"b","dirty":true}\n{"page":"a","dirty":false}\n{"pa',
    );
    const torn = await open();
    expect(torn).toMatchObject({ first: new Set(['b']), whole: false });
    await torn.tidy();
    expect(await open()).toMatchObject({ first: new Set(['b']), whole: true });
  });
});
