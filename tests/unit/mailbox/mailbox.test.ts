import { Check } from 'typebox/value';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEventHub, events, type OwnerEvent } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { mailboxVersion, mostHosts } from '../../../src-main/platform/mailbox-protocol.ts';
import type { Drained } from '../../../src-main/mailbox/drain.ts';
import { Mailbox } from '../../../src-main/mailbox/mailbox.ts';
import { silentLog } from '../../../src-main/platform/log.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const remote = { version: mailboxVersion, state: 'awake', kept: 0, refused: 0, copies: 3, bytes: 900 };
const nothing: Drained = { arrived: 0, waiting: 0, unopened: 0 };

function opened() {
  const world = {
    isOn: true,
    server: 'on' as 'on' | 'off' | 'trouble',
    hosts: ['ada.example'],
    drained: [] as Drained[],
    failure: undefined as PorchlightError | undefined,
    copies: { copies: 3, leftOut: 0, toCopy: 0, toRemove: 0 },
  };
  const calls: string[] = [];
  const recorded: string[] = [];
  const sent: OwnerEvent[] = [];
  const hub = createEventHub(() => undefined);
  hub.subscribe((event) => void sent.push(event));
  const mailbox = new Mailbox({
    client: {
      interrupt: () => void calls.push('interrupt'),
      call: async (name: string, params: object) => {
        await Promise.resolve();
        calls.push(`${name} ${JSON.stringify(params)}`);
        if (world.failure) throw world.failure;
        return { ...remote, state: name === 'away' ? (params as { kind: string }).kind : 'awake' };
      },
    },
    isOn: () => world.isOn,
    server: () => world.server,
    hosts: () => world.hosts,
    async drain() {
      await Promise.resolve();
      calls.push('drain');
      return world.drained.shift() ?? nothing;
    },
    hub,
    clock: () => Date.now(),
    log: silentLog,
    changed: () => undefined,
    activity: {
      record: (_kind: string, words: string) => {
        recorded.push(words);
        return Promise.resolve();
      },
    },
  });
  mailbox.connect({ status: () => world.copies, wake: () => undefined });
  return { world, mailbox, calls, recorded, sent };
}

const awake = 'awake {"hosts":["ada.example"]}';
const asleep = 'away {"kind":"asleep"}';
const hour = 3_600_000;

test('a start says that the server is awake, and fetches the items, as does an hourly check', async () => {
  const { mailbox, calls } = opened();
  await mailbox.synchronize();
  expect(calls).toEqual([awake, 'drain']);
  expect(mailbox.status()).toMatchObject({ state: 'asleep-ready', remedy: null });
  await vi.advanceTimersByTimeAsync(hour);
  expect(calls).toEqual([awake, 'drain', 'drain']);
});

test('arrived items are reported once, in the shape that the contract promises', async () => {
  const { world, mailbox, recorded, sent } = opened();
  world.drained = [{ ...nothing, arrived: 14 }];
  await mailbox.synchronize();
  expect(recorded).toEqual(['14 things arrived while you were away.']);
  expect(sent.filter(({ name }) => name === 'mailbox.arrived')).toEqual([
    { name: 'mailbox.arrived', data: { arrived: 14 } },
  ]);
  for (const { name, data } of sent) expect(Check(events[name], data)).toBe(true);
  await vi.advanceTimersByTimeAsync(hour);
  expect(recorded).toHaveLength(1);
  expect(mailbox.status().lastDrain).toEqual({ at: '2026-11-20T12:00:00.000Z', arrived: 14 });
});

test('items that arrived before a failure are reported, and the failure too', async () => {
  const { world, mailbox, recorded, sent } = opened();
  const failure = new PorchlightError('mailbox_failed', 'The mailbox can’t be reached.', 502);
  world.drained = [{ ...nothing, arrived: 14, failure }, nothing];
  await mailbox.synchronize();
  expect(recorded).toEqual(['14 things arrived while you were away.']);
  expect(sent.filter(({ name }) => name === 'mailbox.arrived')).toHaveLength(1);
  expect(mailbox.status()).toMatchObject({ state: 'trouble', lastDrain: { arrived: 14 } });
  await vi.advanceTimersByTimeAsync(hour);
  expect(mailbox.status()).toMatchObject({ state: 'asleep-ready', lastDrain: { arrived: 14 } });
});

test('off is not asleep: nothing is fetched, and quitting changes nothing about it', async () => {
  const { world, mailbox, calls } = opened();
  world.server = 'off';
  await mailbox.synchronize();
  await mailbox.stop();
  expect(calls).toEqual(['away {"kind":"off"}']);
});

test('quitting says that the server is asleep, before anything that is still under way', async () => {
  const { mailbox, calls } = opened();
  await mailbox.synchronize();
  calls.length = 0;
  await mailbox.stop();
  expect(calls).toEqual(['interrupt', asleep]);
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(calls).toEqual(['interrupt', asleep]);
});

test('sleep is announced, waking too; a computer that did not fall asleep is awake after a minute', async () => {
  const { mailbox, calls } = opened();
  await mailbox.synchronize();
  calls.length = 0;
  await mailbox.sleep();
  expect(calls).toEqual(['interrupt', asleep]);
  mailbox.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(calls.slice(2)).toEqual([awake, 'drain']);
  await mailbox.sleep();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.slice(6)).toEqual([awake, 'drain']);
});

test('a sleep that is announced twice at once, as Electron does on Linux, is reported once', async () => {
  const { mailbox, calls } = opened();
  await mailbox.synchronize();
  calls.length = 0;
  await Promise.all([mailbox.sleep(), mailbox.sleep()]);
  expect(calls).toEqual(['interrupt', asleep]);
  await mailbox.sleep();
  expect(calls).toHaveLength(4);
});

test('no more hosts are sent than the mailbox accepts', async () => {
  const { world, mailbox, calls } = opened();
  world.hosts = Array.from({ length: mostHosts + 1 }, (_, at) => `site-${at}.example`);
  await mailbox.synchronize();
  expect(calls[0]).toBe(`awake ${JSON.stringify({ hosts: world.hosts.slice(0, mostHosts) })}`);
});

test('a change of the server or its hosts is sent at once, and no change is sent twice', async () => {
  const { world, mailbox, calls } = opened();
  await mailbox.synchronize();
  calls.length = 0;
  mailbox.follow();
  await vi.advanceTimersByTimeAsync(0);
  expect(calls).toEqual([]);
  world.hosts = ['ada.example', 'www.ada.example'];
  mailbox.follow();
  await vi.advanceTimersByTimeAsync(0);
  expect(calls).toEqual(['awake {"hosts":["ada.example","www.ada.example"]}', 'drain']);
  world.server = 'off';
  mailbox.follow();
  await vi.advanceTimersByTimeAsync(0);
  expect(calls.at(-1)).toBe('away {"kind":"off"}');
});

test('a mailbox that cannot be reached is tried again with growing pauses, and the owner sees why', async () => {
  const { world, mailbox, calls } = opened();
  world.failure = new PorchlightError('mailbox_failed', 'The mailbox can’t be reached.', 502);
  await mailbox.synchronize();
  expect(mailbox.problem()).toEqual({ code: 'mailbox', message: 'The mailbox can’t be reached.' });
  await vi.advanceTimersByTimeAsync(15_000);
  expect(calls).toEqual([awake, awake]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(calls).toHaveLength(2);
  world.failure = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.slice(2)).toEqual([awake, 'drain']);
  expect(mailbox.problem()).toBeUndefined();
});

test('if there is no room here for its items, the fetch is retried with growing pauses, up to an hour', async () => {
  const { world, mailbox, calls } = opened();
  world.drained = Array.from({ length: 100 }, () => ({ ...nothing, waiting: 3 }));
  await mailbox.synchronize();
  const drains = () => calls.filter((call) => call === 'drain').length;
  await vi.advanceTimersByTimeAsync(24 * hour);
  // Once a minute would be 1,440 times, and each time takes several of the requests that the free plan allows in a day.
  expect(drains()).toBeLessThan(40);
  expect(drains()).toBeGreaterThanOrEqual(24);
  expect(mailbox.status().kept).toBe(3);
});

test('while the server is off, neither waiting items nor missing copies are a problem', async () => {
  const { world, mailbox } = opened();
  world.drained = [{ ...nothing, waiting: 3 }];
  await mailbox.synchronize();
  world.server = 'off';
  world.copies = { copies: 3, leftOut: 0, toCopy: 4, toRemove: 0 };
  mailbox.follow();
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(mailbox.problem()).toBeUndefined();
  expect(mailbox.status().state).not.toBe('trouble');
});

test.each([
  ['mailbox_other_server', 'takeOver'],
  ['mailbox_outdated', 'update'],
  ['mailbox_failed', 'retry'],
] as const)('the remedy for %s is %s', async (code, remedy) => {
  const { world, mailbox } = opened();
  world.failure = new PorchlightError(code, 'Words.', 502);
  await mailbox.synchronize();
  expect(mailbox.status()).toMatchObject({ state: 'trouble', words: 'Words.', remedy });
});

test('without a mailbox nothing is called, and its last state is forgotten', async () => {
  const { world, mailbox, calls } = opened();
  await mailbox.synchronize();
  world.isOn = false;
  calls.length = 0;
  await mailbox.synchronize();
  mailbox.follow();
  await mailbox.sleep();
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(calls).toEqual([]);
  expect(mailbox.status()).toMatchObject({ state: 'off', lastDrain: null });
});

test('pages that are no longer public, and copies that are missing, keep it from being ready', async () => {
  const { world, mailbox } = opened();
  world.copies = { copies: 3, leftOut: 0, toCopy: 0, toRemove: 2 };
  await mailbox.synchronize();
  expect(mailbox.status()).toMatchObject({ state: 'awake', toRemove: 2 });
  world.copies = { copies: 3, leftOut: 0, toCopy: 4, toRemove: 0 };
  expect(mailbox.status()).toMatchObject({ state: 'awake', toCopy: 4 });
});

test('while the server is off, it isn’t said that the mailbox answers or that pages are being copied', async () => {
  const { world, mailbox } = opened();
  world.server = 'off';
  for (const toCopy of [1, 0]) {
    world.copies = { copies: 3, leftOut: 0, toCopy, toRemove: 0 };
    await mailbox.synchronize();
    expect(mailbox.status()).toMatchObject({
      state: 'awake',
      toCopy: 0,
      remedy: null,
      words: 'The server is off. Until you turn it on, the mailbox shows no pages and keeps no mentions.',
    });
  }
  await mailbox.sleep();
  expect(mailbox.status().words).toMatch(/^The server is off\./);
  world.server = 'on';
  mailbox.wake();
  await vi.waitFor(() => expect(mailbox.status()).toMatchObject({ state: 'asleep-ready' }));
});

test('files that are too large to be copied don’t keep it from being ready, and are counted', async () => {
  const { world, mailbox } = opened();
  world.copies = { copies: 3, leftOut: 2, toCopy: 0, toRemove: 0 };
  await mailbox.synchronize();
  expect(mailbox.status()).toMatchObject({
    state: 'asleep-ready',
    leftOut: 2,
    words: 'Everything public is copied, except 2 large files. This computer can sleep.',
  });
});
