import { beforeEach, afterEach, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { startMentionNotices } from '../../../src-main/desktop/notification.ts';

const { shown } = vi.hoisted(() => ({ shown: [] as { click: () => void }[] }));
vi.mock('electron', () => ({
  Notification: class {
    static isSupported = () => true;
    on(_event: 'click', click: () => void) {
      shown.push({ click });
    }
    show() {}
    close() {}
  },
}));

beforeEach(() => {
  shown.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const mention = (id: string, status: string) =>
  ({
    id,
    status,
    type: 'reply',
    source: 'https://friend.example/1',
    target: 'https://me.example/',
  }) as MentionRecord;

/** Lets these mentions arrive together, clicks the notification, and returns where the window opens. */
async function placeOf(...mentions: MentionRecord[]): Promise<unknown> {
  let emit: (event: OwnerEvent) => void = () => undefined;
  const owner: OwnerApi = {
    call: () => Promise.resolve({ result: { desktop: { notifications: true, sound: false } } }),
    subscribe: (listener) => {
      emit = listener;
      return () => undefined;
    },
  };
  const show = vi.fn();
  const end = startMentionNotices(owner, show);
  for (const data of mentions) emit({ name: 'webmention.received', data });
  await vi.advanceTimersByTimeAsync(6_000);
  shown.at(-1)?.click();
  end();
  return show.mock.lastCall?.[0];
}

test('the notification of one mention opens that mention', async () => {
  expect(await placeOf(mention('one', 'held'))).toBe('#/webmentions?id=one');
});

test('that of several opens the list that has them', async () => {
  expect(await placeOf(mention('one', 'held'), mention('two', 'held'))).toBe('#/webmentions?status=held');
  expect(await placeOf(mention('one', 'held'), mention('two', 'approved'))).toBe('#/webmentions');
});
