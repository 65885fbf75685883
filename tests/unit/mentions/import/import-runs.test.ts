import { expect, test } from 'vitest';
import { createImportRuns, newRun } from '../../../../src-main/mentions/import/import-runs.ts';
import { recordsIn } from '../../../support/records-in.ts';

const ids = (length: number, name: string) => Array.from({ length }, (_, at) => `${name}-${at}`);

async function all(items: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('long lists are kept, in order and in steps, and cleared', async () => {
  const records = await recordsIn();
  const steps: number[] = [];
  const runs = createImportRuns({
    ...records,
    write: (change) =>
      records.write((transaction) => {
        const before = transaction.rows('SELECT total_changes() AS n')[0]?.['n'] ?? 0;
        const result = change(transaction);
        const after = transaction.rows('SELECT total_changes() AS n')[0]?.['n'] ?? 0;
        steps.push(Number(after) - Number(before));
        return result;
      }),
  });
  const run = {
    ...newRun(0),
    imported: 3,
    total: 4,
    missing: ids(1203, 'missing'),
    updated: ids(2, 'other'),
  };
  await runs.keep(run);
  expect(await all(runs.ids(run.id, 'missing'))).toEqual(run.missing);
  expect(runs.last()).toEqual({
    id: run.id,
    at: run.at,
    imported: 3,
    total: 4,
    updated: 2,
    removed: 0,
    missing: 1203,
  });
  await runs.clear(run.id, 'missing');
  expect(await all(runs.ids(run.id, 'missing'))).toEqual([]);
  expect(await all(runs.ids(run.id, 'updated'))).toEqual(run.updated);
  expect(runs.find(run.id)).toMatchObject({ updated: 2, missing: 0 });
  // Each step also changes the numbers of the run.
  expect(Math.max(...steps)).toBe(501);
});

test('a mention that is stored again is added, and counts once', async () => {
  const runs = createImportRuns(await recordsIn());
  const run = { ...newRun(0), removed: ['a', 'b'] };
  await runs.keep(run);
  await runs.keep({ ...run, imported: 7, removed: ['b', 'c'] });
  expect(await all(runs.ids(run.id, 'removed'))).toEqual(['a', 'b', 'c']);
  expect(runs.last()).toMatchObject({ imported: 7, removed: 3 });
});

test('only the last five runs are kept, with their lists', async () => {
  const records = await recordsIn();
  const runs = createImportRuns(records);
  const kept = Array.from({ length: 7 }, (_, at) => ({ ...newRun(at), removed: ids(600, String(at)) }));
  for (const run of kept) await runs.keep(run);
  expect(kept.map(({ id }) => runs.find(id) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(records.rows(({ n }) => n, 'SELECT count(*) AS n FROM aggregator_changes')).toEqual([3000]);
});
