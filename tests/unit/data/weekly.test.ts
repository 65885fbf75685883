import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDue, pruneWeekly, weeklyCopiesIn, weeklyName } from '../../../src-main/data/weekly-keeper.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const me = 'https://owner.example/';

test('pruning removes the oldest copies of this owner, an unfinished one after a kill, and nothing else', async () => {
  const folder = await temporaryFolder();
  const copies = [0, 7, 14, 21, 28].map((days) => weeklyName(me, start + days * day));
  const [, , , , newest = ''] = copies;
  const others = [
    weeklyName('https://other.example/', start),
    weeklyName(null, start),
    'porchlight-weekly-owner.example-holidays.zip',
    `my ${newest}`,
    `${newest}.bak`,
    'photo.0123abcd.part',
    'porchlight-backup.zip',
  ];
  const unfinished = `${newest}.0123abcd.part`;
  for (const name of [...copies, ...others, unfinished]) await writeFile(join(folder, name), '');
  const asFolder = weeklyName(me, start - 7 * day);
  await mkdir(join(folder, asFolder));

  await pruneWeekly(folder, { whose: me, keep: 2, newest, now: start + 28 * day });
  expect((await readdir(folder)).sort()).toEqual([...copies.slice(3), ...others, asFolder].sort());
});

test('a copy that was just made stays, though a clock that was wrong dated others later', async () => {
  const folder = await temporaryFolder();
  const [newest, future] = [weeklyName(me, start), weeklyName(me, start + 3650 * day)];
  await writeFile(join(folder, future), '');
  expect(isDue((await weeklyCopiesIn(folder, me, start))[0], start)).toBe(true);
  await writeFile(join(folder, newest), '');
  await pruneWeekly(folder, { whose: me, keep: 1, newest, now: start });
  expect(await readdir(folder)).toEqual([newest]);
});

test('a copy from the future, dated by a wrong clock, does not cause a copy each hour, and is removed first', async () => {
  const folder = await temporaryFolder();
  const real = [49, 42, 35, 28, 21, 14, 7].map((days) => weeklyName(me, start - days * day));
  const future = weeklyName(me, start + 3650 * day);
  for (const name of [...real, future]) await writeFile(join(folder, name), '');
  const made: string[] = [];
  for (let now = start; now < start + day; now += day / 24) {
    if (!isDue((await weeklyCopiesIn(folder, me, now))[0], now)) continue;
    const newest = weeklyName(me, now);
    made.push(newest);
    await writeFile(join(folder, newest), '');
    await pruneWeekly(folder, { whose: me, keep: 8, newest, now });
  }
  expect(made).toEqual([weeklyName(me, start)]);
  expect((await readdir(folder)).sort()).toEqual([...real, ...made].sort());
});

test('a copy is due after a week, and not before', () => {
  const copy = { name: '', at: start };
  expect(isDue(undefined, start)).toBe(true);
  expect(isDue(copy, start + 7 * day - 1)).toBe(false);
  expect(isDue(copy, start + 7 * day)).toBe(true);
});
