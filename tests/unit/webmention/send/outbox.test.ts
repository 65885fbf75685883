import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { createOutbox } from '../../../../src-main/webmention/send/outbox.ts';
import { planned, settledDelivery } from '../../../../src-main/webmention/send/plan.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

const day = 86_400_000;
const path = '/posts/2026/11/a';
const target = 'https://bea.example/1';
const failure = {
  kind: 'failed',
  words: 'Busy.',
  mayPass: true,
  refused: false,
  mayKnow: false,
} as const;

async function opened() {
  const dir = await temporaryFolder();
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const open = () => createOutbox({ dir, log: silentLog, now: () => clock.now });
  const outbox = open();
  /** Plans a notification of a post that is published at `publishedAt`. */
  const plan = (publishedAt: number) =>
    outbox.change(path, (sent) => {
      sent.entries = planned(sent.entries, {
        links: [target],
        linkedBefore: [],
        publishedAt,
        now: clock.now,
      });
    });
  const fail = () =>
    outbox.change(path, (sent) => {
      sent.entries = sent.entries.map((entry) => settledDelivery(entry, failure, clock.now));
    });
  const dueNow = (box = outbox) => box.takeDue(clock.now).map((one) => one.target);
  return { clock, open, outbox, plan, fail, dueNow };
}

describe('a clock that was 400 days ahead', () => {
  test('keeps no retry waiting, neither in this process nor after a start', async () => {
    const { clock, open, outbox, plan, fail, dueNow } = await opened();
    clock.now += 400 * day;
    await plan(0);
    expect(dueNow()).toEqual([target]);
    await fail();
    expect(dueNow()).toEqual([]);
    clock.now -= 400 * day;
    expect(dueNow()).toEqual([target]);
    expect(outbox.waiting(`${path} ${target}`)?.due).toBe(clock.now);
    const later = open();
    await later.load(path);
    expect(dueNow(later)).toEqual([target]);
  });

  test('keeps no new notification waiting', async () => {
    const { clock, open, plan, dueNow } = await opened();
    clock.now += 400 * day;
    await plan(0);
    clock.now -= 400 * day;
    const later = open();
    await later.load(path);
    expect(dueNow(later)).toEqual([target]);
  });
});

test('the notification of a post that is published in 400 days waits until then', async () => {
  const { clock, open, plan, dueNow } = await opened();
  await plan(clock.now + 400 * day);
  clock.now -= 1000;
  expect(dueNow()).toEqual([]);
  const later = open();
  await later.load(path);
  clock.now += 399 * day;
  expect(dueNow(later)).toEqual([]);
  clock.now += 2 * day;
  expect(dueNow(later)).toEqual([target]);
});
