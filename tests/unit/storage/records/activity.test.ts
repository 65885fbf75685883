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
  return { written, lost, tell: (words: string) => activity.tell('posts.created', words) };
}

const full = () => new PorchlightError('storage_full', 'The disk is full.');

test('an entry that the disk did not take is written together with the next one', async () => {
  const { written, tell } = scene(full());
  await tell('one');
  expect(written).toEqual([]);
  await tell('two');
  expect(written).toEqual(['one', 'two']);
});

test('an entry that can never be written takes no other entry with it', async () => {
  const { written, lost, tell } = scene(new Error('broken'));
  await expect(tell('one')).rejects.toThrow('broken');
  await tell('two');
  expect(written).toEqual(['two']);
  expect(lost).toEqual([]);
});

test('a kept entry that can never be written is reported, and does not fail the call for the next one', async () => {
  const broken = new Error('broken');
  const { written, lost, tell } = scene(full(), broken, full());
  await tell('one');
  await tell('two');
  expect(lost).toEqual([broken]);
  await tell('three');
  expect(written).toEqual(['two', 'three']);
});
