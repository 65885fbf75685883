import { expect, test } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { createActivity } from '../../../../src-main/storage/records/activity.ts';
import type { Cell } from '../../../../src-main/storage/records/record-table.ts';
import { createEventHub } from '../../../../src-main/contract/contract.ts';

/** A database whose writes fail with these errors, in this order, and succeed after them. */
function scene(...errors: Error[]) {
  const written: string[] = [];
  const lost: unknown[] = [];
  const activity = createActivity({
    records: {
      rows: () => [],
      write(change) {
        const error = errors.shift();
        if (error) return Promise.reject(error);
        const run = (_sql: string, ...cells: readonly Cell[]) => written.push(String(cells[3]));
        return Promise.resolve(change({ rows: () => [], run, after: () => undefined }));
      },
    },
    hub: createEventHub(),
    clock: () => 0,
    lost: (error) => lost.push(error),
  });
  return { written, lost, record: (words: string) => activity.record('posts.created', words) };
}

const full = () => new PorchlightError('storage_full', 'The disk is full.');

test('an entry that the disk did not take is written together with the next one', async () => {
  const { written, record } = scene(full());
  await record('one');
  expect(written).toEqual([]);
  await record('two');
  expect(written).toEqual(['one', 'two']);
});

test('an entry that can never be written takes no other entry with it', async () => {
  const { written, lost, record } = scene(new Error('broken'));
  await expect(record('one')).rejects.toThrow('broken');
  await record('two');
  expect(written).toEqual(['two']);
  expect(lost).toEqual([]);
});

test('a kept entry that can never be written is reported, and does not fail the call for the next one', async () => {
  const broken = new Error('broken');
  const { written, lost, record } = scene(full(), broken, full());
  await record('one');
  await record('two');
  expect(lost).toEqual([broken]);
  await record('three');
  expect(written).toEqual(['two', 'three']);
});
