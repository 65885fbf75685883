import type { NotificationConstructorOptions } from 'electron';
import { describe, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import {
  startNotifications,
  startPhoneNotice,
  notifyApproved,
} from '../../../src-main/desktop/notification.ts';

vi.mock('electron', () => ({ Notification: vi.fn() }));

const signIn: SignIn = {
  id: 'one',
  matchCode: '42',
  clientId: 'https://app.example/',
  clientName: 'App',
  clientHost: 'app.example',
  clientLogo: null,
  device: null,
  redirectUri: 'https://app.example/callback',
  scopes: ['profile'],
  permissions: [],
  warnings: [],
  requestedAt: new Date(0).toISOString(),
  expiresAt: new Date(600_000).toISOString(),
};

function setUp(desktop = { notifications: true, sound: false }) {
  const calls: [string, unknown][] = [];
  const listeners = new Set<(event: OwnerEvent) => void>();
  const owner: OwnerApi = {
    call: (method, params) => {
      if (method !== 'settings.get') calls.push([method, params]);
      return Promise.resolve({ result: { desktop } });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const shown: {
    options: NotificationConstructorOptions;
    answer: (action: 'Review' | 'Deny') => void;
    close: () => void;
  }[] = [];
  const review = vi.fn();
  const end = startNotifications(owner, review, vi.fn(), (options, answer) => {
    const notification = { options, answer, close: vi.fn() };
    shown.push(notification);
    return notification;
  });
  const emit = (event: OwnerEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    calls,
    shown,
    review,
    end,
    listeners,
    owner,
    emit,
    ask: () => emit({ name: 'signIn.requested', data: signIn }),
    expire: () => emit({ name: 'signIn.settled', data: { id: 'one', outcome: 'expired' } }),
  };
}

/** Lets everything that waits for resolved promises only go on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the notification of a sign-in', () => {
  test.each([true, false])('makes a sound only if the owner wants it: %s', async (sound) => {
    const { ask, shown } = setUp({ notifications: true, sound });
    ask();
    await settled();
    expect(shown.map(({ options }) => options)).toMatchObject([
      { silent: !sound, body: expect.stringContaining('42') as string },
    ]);
  });

  test('is not shown if the owner wants none', async () => {
    const { ask, shown } = setUp({ notifications: false, sound: true });
    ask();
    await settled();
    expect(shown).toEqual([]);
  });

  test('the notification of a sign-in can review or deny it, and never approves it', async () => {
    const { ask, shown, review, calls } = setUp();
    ask();
    await settled();
    shown[0]!.answer('Review');
    expect(review).toHaveBeenCalledExactlyOnceWith('one');
    expect(calls).toEqual([]);
    shown[0]!.answer('Deny');
    expect(calls).toEqual([['signIns.deny', { id: 'one' }]]);
  });

  test('disappears when nobody answers in time', async () => {
    const { ask, expire, shown } = setUp();
    ask();
    await settled();
    expire();
    expect(shown[0]!.close).toHaveBeenCalledOnce();
  });

  test('is not shown for a sign-in that was answered while the owner’s settings were read', async () => {
    const { ask, expire, shown } = setUp();
    ask();
    expire();
    await settled();
    expect(shown).toEqual([]);
  });

  test('disappears at the end', async () => {
    const { ask, end, shown, listeners } = setUp();
    ask();
    await settled();
    end();
    expect(shown[0]!.close).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });
});

test('the notification of an approval opens the apps', async () => {
  const owner: OwnerApi = {
    call: () => Promise.resolve({ result: { desktop: { notifications: true, sound: false } } }),
    subscribe: () => () => undefined,
  };
  const showApps = vi.fn();
  let click: () => void = () => undefined;
  await notifyApproved(owner, signIn, showApps, (_options, answered) => {
    click = () => answered('Review');
    return undefined;
  });
  expect(showApps).not.toHaveBeenCalled();
  click();
  expect(showApps).toHaveBeenCalledOnce();
});

test('an approval with a phone is announced at the computer, and the notification leads to Undo', async () => {
  const { owner, emit } = setUp();
  const [showSignIns, titles] = [vi.fn(), [] as (string | undefined)[]];
  startPhoneNotice(owner, showSignIns, ({ title }, answered) => {
    titles.push(title);
    answered('Review');
    return undefined;
  });
  emit({ name: 'signIn.settled', data: { id: 'one', outcome: 'approved' } });
  emit({ name: 'signIn.settled', data: { id: 'two', outcome: 'denied', by: 'Ada’s phone' } });
  emit({ name: 'signIn.settled', data: { id: 'three', outcome: 'approved', by: 'Ada’s phone' } });
  await settled();
  expect(titles).toEqual(['“Ada’s phone” approved a sign-in']);
  expect(showSignIns).toHaveBeenCalledOnce();
});
