import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createDataDesk } from '../../../src-main/data/data-desk.ts';
import { createEventHub } from '../../../src-main/contract/contract.ts';
import { createWeeklyKeeper, weeklyName } from '../../../src-main/data/weekly-keeper.ts';
import { contentProof, noRecords, writeTree } from '../../support/backup-scene.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** Ends of names of files that can't be removed: whoever runs the tests may be allowed to remove anything. */
const stuck = vi.hoisted(() => new Set<string>());
vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  return {
    ...real,
    rm: (file, options) =>
      [...stuck].some((end) => String(file).endsWith(end))
        ? Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM' }))
        : real.rm(file, options),
  };
});
beforeEach(() => stuck.clear());

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

/** A keeper whose clock and folder the test holds; `broken`: copies fail when they are tried out. */
async function scene() {
  const home = await temporaryFolder();
  const [dataDir, folder] = [join(home, 'data'), join(home, 'weekly')];
  await writeTree(dataDir, { 'settings.json': 'mine' });
  await mkdir(folder);
  const state = {
    now: start,
    broken: false,
    tries: 0,
    keep: 8,
    recorded: [] as string[],
    noted: [] as string[],
  };
  const keeper = createWeeklyKeeper({
    dataDir,
    version: '1.0.0',
    now: () => state.now,
    desk: createDataDesk({ hub: createEventHub(), now: () => state.now }),
    settings: () => ({ backup: { folder, keep: state.keep }, profile: { me: null } }),
    activity: {
      record(kind) {
        state.recorded.push(kind);
        return Promise.resolve();
      },
    },
    records: noRecords,
    prove() {
      state.tries += 1;
      if (state.broken) throw new PorchlightError('storage_full', 'The disk is full.', 507);
      return contentProof();
    },
    made({ path }) {
      state.noted.push(path ?? '');
      return Promise.resolve();
    },
    changed: () => undefined,
  });
  return { folder, state, keeper };
}

test('a copy that failed is tried again after a day, and not each hour', async () => {
  const { folder, state, keeper } = await scene();
  state.broken = true;
  for (; state.now < start + 24 * hour; state.now += hour) await keeper.makeIfDue();
  expect(state.tries).toBe(1);
  expect(keeper.problem?.message).toMatch(/The disk is full\. It is tried again in a day/);
  expect(state.recorded).toEqual(['data.weeklyFailed']);
  state.broken = false;
  await keeper.makeIfDue();
  expect([state.tries, keeper.problem]).toEqual([2, undefined]);
  expect(await readdir(folder)).toHaveLength(1);
  expect(state.noted).toEqual([join(folder, weeklyName(null, state.now))]);
});

test('a copy that failed is tried again at once when the owner changes its settings, or its folder is back', async () => {
  const { folder, state, keeper } = await scene();
  state.broken = true;
  await keeper.makeIfDue();
  state.keep = 4;
  await keeper.makeIfDue();
  expect(state.tries).toBe(2);
  await rename(folder, `${folder}-away`);
  await keeper.makeIfDue();
  expect(keeper.problem?.message).toMatch(/doesn’t exist/);
  await rename(`${folder}-away`, folder);
  state.broken = false;
  await keeper.makeIfDue();
  expect([state.tries, keeper.problem]).toEqual([3, undefined]);
});

test('a copy that was made is reported as made, even if an older one cannot be removed', async () => {
  const { folder, state, keeper } = await scene();
  const [oldest = '', older = '', last = ''] = [21, 14, 7].map((days) =>
    weeklyName(null, start - days * 24 * hour),
  );
  for (const name of [oldest, older, last]) await writeFile(join(folder, name), '');
  state.keep = 1;
  stuck.add(older);
  await keeper.makeIfDue();
  expect(state.recorded).toEqual(['data.weekly']);
  expect(keeper.problem).toMatchObject({
    code: 'weekly_copies_stay',
    message: expect.stringMatching(
      /^Porchlight made the weekly backup, but couldn’t remove older ones .* \(EPERM\)/,
    ) as unknown,
  });
  expect(await readdir(folder)).toEqual([older, weeklyName(null, start)]);
  state.now += hour;
  await keeper.makeIfDue();
  expect(keeper.problem?.code).toBe('weekly_copies_stay');
  stuck.clear();
  await keeper.makeIfDue();
  expect([state.tries, keeper.problem]).toEqual([1, undefined]);
  expect(await readdir(folder)).toEqual([weeklyName(null, start)]);
});
