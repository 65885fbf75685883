import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { HostRests } from '../../../../src-main/storage/work/host-rests.ts';
import { Outcomes } from '../../../../src-main/storage/work/outcomes.ts';
import { WorkEntries } from '../../../../src-main/storage/work/work-entries.ts';
import type { RetrySchedule } from '../../../../src-main/storage/work/work-kind.ts';
import { workRows, workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { memoryRecords } from '../../../support/memory-records.ts';

const minute = 60_000;
const now = () => 0;
/** 30 days of attempts, one every 5 minutes. */
const mostOffline = 30 * 24 * 12;

/** Work that fails while this computer is offline, after `passed` attempts that failed in the same way. */
async function offline(retries: RetrySchedule, passed: number) {
  const records = memoryRecords([workTable]);
  const kind = { kind: 'test', payload: Type.Object({}), retries, run: () => Promise.reject(new Error()) };
  const rows = workRows(kind, records);
  const entries = new WorkEntries(kind, now);
  const options = { records, now, online: () => false, log: silentLog };
  const outcomes = new Outcomes({ kind, options, rows, entries, rests: new HostRests(undefined, now) });
  const add = () =>
    records.write((transaction) => {
      const work = { key: 'a', party: 'a.example', host: 'a.example', payload: {} };
      entries.putNew(rows.insert(transaction, work, now()));
    });
  await add();
  entries.offline.set('a', passed);
  const fail = async () => {
    const entry = entries.byKey.get('a');
    if (entry === undefined) throw new Error('The work was given up before.');
    const made = {
      ...entry,
      payload: {},
      words: undefined,
      hasMore: () => false,
      signal: new AbortController().signal,
    };
    await outcomes.settle(entry.due, made, { kind: 'failed', words: 'No answer.', mayPass: true });
    return rows.list().map(({ tries, due }) => ({ tries, due }));
  };
  return { add, fail };
}

test('an attempt while offline counts nothing for 30 days, and ends the work after that', async () => {
  const { fail } = await offline({ pauses: [] }, mostOffline - 1);
  expect(await fail()).toEqual([{ tries: 0, due: 5 * minute }]);
  expect(await fail()).toEqual([]);
});

test('work that is added again has all its attempts while offline again', async () => {
  const { add, fail } = await offline({ pauses: [] }, mostOffline);
  await add();
  expect(await fail()).toEqual([{ tries: 0, due: 5 * minute }]);
});

test('work with an endless schedule is retried for more than 30 days offline', async () => {
  const { fail } = await offline({ pauses: [minute], isEndless: true }, mostOffline + 1);
  expect(await fail()).toEqual([{ tries: 0, due: 5 * minute }]);
});
