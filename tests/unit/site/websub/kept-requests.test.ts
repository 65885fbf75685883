import { expect, test } from 'vitest';
import { silentLog as log } from '../../../../src-main/platform/log.ts';
import { rowsIn, withClosedRecords } from '../../../../src-main/storage/records/closed-records.ts';
import { cellsOf, insertInto } from '../../../../src-main/storage/records/record-table.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { openWork } from '../../../../src-main/storage/work/work.ts';
import { createHub } from '../../../../src-main/site/websub/hub.ts';
import { hubTables, subscriptionTable } from '../../../../src-main/site/websub/subscription.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { storedSubscriptions } from '../../../support/stored-subscriptions.ts';

const arrived = Date.parse('2026-11-20T11:00:00Z');
const fields = (callback: string) => ({
  'hub.mode': 'subscribe',
  'hub.callback': `https://reader.example/${callback}`,
  'hub.topic': 'https://porch.example.com/feed.atom',
});

async function scene() {
  const dataDir = await temporaryFolder();
  let clock = arrived + 3_600_000;
  /** Starts the program again with what is on disk. */
  const start = async () => {
    const records = await recordsIn(dataDir);
    const now = () => clock;
    return createHub({
      records,
      log,
      now,
      reached: () => undefined,
      work: await openWork({ records, log, now, online: () => true }),
      fetch: () => Promise.reject(new Error('Nothing is fetched.')),
      address: () => 'https://porch.example.com/websub',
      site: {
        content: () => Promise.resolve(undefined),
        topicsOf: () => [],
        nextPublication: () => Promise.resolve(undefined),
        publishedBetween: () => Promise.resolve([]),
      },
    });
  };
  const stored = () => storedSubscriptions(dataDir);
  return { start, stored, dataDir, later: (ms: number) => void (clock += ms) };
}

test('a request that the mailbox hands over again is known, also after a kill', async () => {
  const { start, stored } = await scene();
  const hub = await start();
  expect(await hub.requestKept(fields('a'), arrived)).toBe('new');
  expect(await hub.requestKept(fields('a'), arrived)).toBe('known');
  expect(await (await start()).requestKept(fields('a'), arrived)).toBe('known');
  expect((await stored()).requests).toHaveLength(1);
});

test('another request of the same subscriber, and one of another, are new', async () => {
  const { start } = await scene();
  const hub = await start();
  expect(await hub.requestKept(fields('a'), arrived)).toBe('new');
  expect(await hub.requestKept(fields('a'), arrived + 1)).toBe('new');
  expect(await hub.requestKept(fields('b'), arrived)).toBe('new');
});

test('a known request is known although its host has sent too much since', async () => {
  const { start } = await scene();
  const hub = await start();
  await hub.requestKept(fields('a'), arrived);
  await expect(
    (async () => {
      for (let at = 1; at < 100; at += 1) await hub.requestKept(fields(`other-${at}`), arrived);
    })(),
  ).rejects.toThrow('Try again later');
  expect(await hub.requestKept(fields('a'), arrived)).toBe('known');
});

test('a subscription of a site that has as many as it may is refused for good', async () => {
  const { start, stored, dataDir } = await scene();
  await withClosedRecords(dataDir, hubTables, (database) => {
    const insert = database.prepare(insertInto(subscriptionTable));
    for (let seq = 1; seq <= 50; seq += 1) {
      const row = { seq, callback: `https://reader.example/had-${seq}`, topic: fields('')['hub.topic'] };
      const rest = { secret: null, expires: '2027-01-01T00:00:00.000Z', has: '' };
      insert.run(...cellsOf(subscriptionTable, { ...row, ...rest }));
    }
  });
  const hub = await start();
  await expect(hub.requestKept(fields('a'), arrived)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await hub.requestKept(fields('had-1'), arrived)).toBe('new');
  expect((await stored()).requests).toHaveLength(1);
});

test('as many requests are remembered as the mailbox can hand over again, and no more', async () => {
  const { start, stored, later } = await scene();
  const hub = await start();
  for (let at = 0; at < 120; at += 1) {
    later(10_000);
    await hub.requestKept(fields(String(at % 3)), arrived + at * 10_000);
  }
  const { kept } = await stored();
  expect(kept).toHaveLength(100);
  expect(await hub.requestKept(fields(String(119 % 3)), arrived + 119 * 10_000)).toBe('known');
});

test('requests that differ only in their secrets, and arrived at the same time, are each new', async () => {
  const { start, stored } = await scene();
  const hub = await start();
  for (const secret of ['mine', 'theirs'])
    expect(await hub.requestKept({ ...fields('a'), 'hub.secret': secret }, arrived)).toBe('new');
  expect((await stored()).requests).toHaveLength(2);
});

test('the queue has one piece of work for each request that counts, and no secrets', async () => {
  const { start, stored, dataDir } = await scene();
  const hub = await start();
  for (const at of [0, 1, 2])
    await hub.requestKept({ ...fields('a'), 'hub.secret': 'a secret' }, arrived + at);
  await hub.requestKept(fields('b'), arrived);
  const { requests } = await stored();
  const work = await rowsIn(dataDir, workTable);
  expect(work.map(({ key }) => key)).toEqual(requests.map(({ seq }) => String(seq)));
  expect(work).toMatchObject(requests.map(() => ({ kind: 'websub-confirm', host: 'reader.example' })));
  expect(JSON.stringify(work)).not.toContain('a secret');
});
