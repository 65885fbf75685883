import { expect, test } from 'vitest';
import { createRun } from '../../../../src-main/storage/work/run.ts';

test('a run is over once everything that was added to it has been tried', async () => {
  const run = createRun<string>();
  run.request(['a', 'b']);
  run.tried('a', 'done');
  expect(run.isOver).toBe(false);
  run.tried('b', undefined);
  expect(run.isOver).toBe(true);
  await run.over();
  expect([...run.outcomes]).toEqual([
    ['a', 'done'],
    ['b', undefined],
  ]);
});

test('a run tries nothing twice, also if it is added again', () => {
  const run = createRun<string>();
  run.request(['a', 'b']);
  run.tried('a', 'first');
  run.request(['a', 'c']);
  run.tried('a', 'second');
  run.tried('b', 'done');
  expect(run.isOver).toBe(false);
  run.tried('c', 'done');
  expect(run.isOver).toBe(true);
  expect(run.outcomes.get('a')).toBe('first');
});

test('a run without work ends at once, and one with a time limit is not awaited longer', async () => {
  const empty = createRun();
  empty.request([]);
  expect(empty.isOver).toBe(true);
  const run = createRun();
  run.request(['a']);
  await run.over(1);
  expect(run.isOver).toBe(false);
});
