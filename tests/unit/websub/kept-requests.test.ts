import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog as log } from '../../../src-main/platform/log.ts';
import { createHub } from '../../../src-main/websub/hub.ts';
import { subscriptionsFile } from '../../../src-main/websub/subscription.ts';
import { readJsonFile } from '../../support/storage-folder.ts';

const arrived = Date.parse('2026-11-20T11:00:00Z');
const fields = (callback: string) => ({
  'hub.mode': 'subscribe',
  'hub.callback': `https://reader.example/${callback}`,
  'hub.topic': 'https://porch.example.com/feed.atom',
});

async function scene() {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-hub-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  let clock = arrived + 3_600_000;
  /** Starts the program again with what is on disk. */
  const start = () =>
    createHub({
      ...{ dataDir, log, now: () => clock, leaseNow: () => clock },
      fetch: () => Promise.reject(new Error('Nothing is fetched.')),
      address: () => 'https://porch.example.com/websub',
      site: {
        content: () => Promise.resolve(undefined),
        topicsOf: () => [],
        nextPublication: () => Promise.resolve(undefined),
        publishedBetween: () => Promise.resolve([]),
      },
    });
  const stored = async () =>
    (await readJsonFile(path.join(dataDir, subscriptionsFile))) as { requests: object[]; kept: string[] };
  return { start, stored, dataDir, later: (ms: number) => void (clock += ms) };
}

test('a request that the mailbox hands over again is known, also after a kill', async () => {
  const { start, stored } = await scene();
  const hub = start();
  expect(await hub.requestKept(fields('a'), arrived)).toBe('new');
  expect(await hub.requestKept(fields('a'), arrived)).toBe('known');
  expect(await start().requestKept(fields('a'), arrived)).toBe('known');
  expect((await stored()).requests).toHaveLength(1);
});

test('another request of the same subscriber, and one of another, are new', async () => {
  const { start } = await scene();
  const hub = start();
  expect(await hub.requestKept(fields('a'), arrived)).toBe('new');
  expect(await hub.requestKept(fields('a'), arrived + 1)).toBe('new');
  expect(await hub.requestKept(fields('b'), arrived)).toBe('new');
});

test('a known request is known although its host has sent too much since', async () => {
  const { start } = await scene();
  const hub = start();
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
  const subscriptions = Array.from({ length: 50 }, (_, at) => ({
    callback: `https://reader.example/had-${at}`,
    topic: 'https://porch.example.com/feed.atom',
    ...{ secret: '', expires: '2027-01-01T00:00:00.000Z', has: '', failures: 0, due: null },
  }));
  await mkdir(path.join(dataDir, 'websub'));
  await writeFile(
    path.join(dataDir, subscriptionsFile),
    JSON.stringify({ format: 1, subscriptions, requests: [] }),
  );
  const hub = start();
  await expect(hub.requestKept(fields('a'), arrived)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await hub.requestKept(fields('had-1'), arrived)).toBe('new');
  expect((await stored()).requests).toHaveLength(1);
});

test('as many requests are remembered as the mailbox can hand over again, and no more', async () => {
  const { start, stored, later } = await scene();
  const hub = start();
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
  const hub = start();
  for (const secret of ['mine', 'theirs'])
    expect(await hub.requestKept({ ...fields('a'), 'hub.secret': secret }, arrived)).toBe('new');
  expect((await stored()).requests).toHaveLength(2);
});
