import type { MessageBoxOptions, MessageBoxReturnValue, NativeImage } from 'electron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent, Reply } from '../../../src-main/contract/contract.ts';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { startPrompts } from '../../../src-main/desktop/prompt.ts';

/** Milliseconds until an answer to a dialog counts, and until the next dialog comes. */
const aSecond = 1000;
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const icon = { isEmpty: () => false } as NativeImage;

function signIn(id: string, lifetime = 600_000): SignIn {
  return {
    id,
    matchCode: '42',
    clientId: 'https://app.example/',
    clientName: id,
    clientHost: 'app.example',
    clientLogo: null,
    device: null,
    redirectUri: 'https://app.example/callback',
    scopes: ['profile', 'made-up'],
    permissions: [],
    warnings: [],
    requestedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + lifetime).toISOString(),
  };
}

/**
 * A screen on which dialogs wait for an answer, and close when they are aborted. `earlier`: what waits already; it is
 * listed when the test says so.
 */
function setUp(reply: Reply = { result: {} }, earlier: SignIn[] = []) {
  const calls: [string, unknown][] = [];
  let list: () => void = () => undefined;
  const listeners = new Set<(event: OwnerEvent) => void>();
  const owner: OwnerApi = {
    call: (method, params) => {
      if (method === 'signIns.list')
        return new Promise((resolve) => {
          list = () => resolve({ result: earlier });
        });
      calls.push([method, params]);
      return Promise.resolve(reply);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const dialogs: { options: MessageBoxOptions; answer: (response: number) => void }[] = [];
  const showMessageBox = (options: MessageBoxOptions) =>
    new Promise<MessageBoxReturnValue>((resolve) => {
      const answer = (response: number) => resolve({ response, checkboxChecked: false });
      options.signal?.addEventListener('abort', () => answer(options.cancelId ?? 0));
      dialogs.push({ options, answer });
    });
  const review = vi.fn();
  const approved = vi.fn();
  const failed = vi.fn();
  let unlock: () => void = () => undefined;
  let locked: Promise<void> = Promise.resolve();
  const unlocked = (signal: AbortSignal) =>
    Promise.race([locked, new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))]);
  const end = startPrompts({ owner, showMessageBox, icon, unlocked, review, approved, failed });
  const emit = (event: OwnerEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    calls,
    dialogs,
    review,
    approved,
    failed,
    end,
    listeners,
    list: async () => {
      list();
      await settled();
    },
    lock: () => {
      locked = new Promise((resolve) => {
        unlock = resolve;
      });
    },
    unlock: async () => {
      unlock();
      await settled();
    },
    ask: async (id: string, lifetime?: number) => {
      emit({ name: 'signIn.requested', data: signIn(id, lifetime) });
      await settled();
    },
    settle: (id: string) => emit({ name: 'signIn.settled', data: { id, outcome: 'denied' } }),
    /** Presses a button of the last dialog, that long after what happened before. */
    press: async (label: string, after = aSecond) => {
      await vi.advanceTimersByTimeAsync(after);
      const { options, answer } = dialogs.at(-1)!;
      answer(options.buttons!.indexOf(label));
      await settled();
    },
    /** The pause between two dialogs is over. */
    afterPause: async () => {
      await vi.advanceTimersByTimeAsync(aSecond);
      await settled();
    },
  };
}

/** Lets everything that waits for resolved promises only go on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the sign-in dialogs', () => {
  test('show Porchlight’s icon, whatever logo the app has', async () => {
    const { ask, dialogs } = setUp();
    await ask('one');
    expect(dialogs[0]?.options.icon).toBe(icon);
  });

  test('Approve gives all that was asked for', async () => {
    const { ask, press, calls } = setUp();
    await ask('one');
    await press('Approve');
    expect(calls).toEqual([['signIns.approve', { id: 'one', scopes: ['profile', 'made-up'] }]]);
  });

  test('Deny denies', async () => {
    const { ask, press, calls } = setUp();
    await ask('one');
    await press('Deny');
    expect(calls).toEqual([['signIns.deny', { id: 'one' }]]);
  });

  test('Review opens the window and answers nothing', async () => {
    const { ask, press, calls, review } = setUp();
    await ask('one');
    await press('Review');
    expect(review).toHaveBeenCalledExactlyOnceWith('one');
    expect(calls).toEqual([]);
  });

  test('Enter is Review, and closing is no button', async () => {
    const { ask, dialogs } = setUp();
    await ask('one');
    const { buttons, defaultId, cancelId } = dialogs[0]!.options;
    expect(buttons![defaultId!]).toBe('Review');
    expect(buttons![cancelId!]).toBeUndefined();
  });

  test('closing answers nothing', async () => {
    const { ask, dialogs, calls, review } = setUp();
    await ask('one');
    dialogs[0]!.answer(dialogs[0]!.options.cancelId!);
    await settled();
    expect(calls).toEqual([]);
    expect(review).not.toHaveBeenCalled();
  });

  test('an approval ends with a message that names the app', async () => {
    const { ask, press, approved } = setUp();
    await ask('one');
    await press('Approve');
    expect(approved).toHaveBeenCalledOnce();
    expect(approved.mock.calls[0]![0]).toMatchObject({ id: 'one', clientName: 'one' });
  });

  test.each(['Approve', 'Deny'])(
    'a %s within a second of the dialog does not count, and the dialog asks again',
    async (label) => {
      const { ask, press, dialogs, calls } = setUp();
      await ask('one');
      await press(label, aSecond - 1);
      expect(calls).toEqual([]);
      expect(dialogs).toHaveLength(2);
      expect(dialogs[1]!.options.message).toBe(dialogs[0]!.options.message);
      expect(dialogs[1]!.options.detail).toContain('did not count your answer');
      await press(label, 1);
      expect(calls).toEqual([]);
      await press(label);
      expect(calls).toMatchObject([[`signIns.${label.toLowerCase()}`, { id: 'one' }]]);
    },
  );

  test('the second press of a double click meets no dialog: the next one waits a second', async () => {
    const { ask, press, afterPause, dialogs } = setUp();
    await ask('one');
    await ask('two');
    await press('Approve');
    await vi.advanceTimersByTimeAsync(aSecond - 1);
    await settled();
    expect(dialogs).toHaveLength(1);
    await afterPause();
    expect(dialogs).toHaveLength(2);
  });

  test('an Approve that comes after the browser asked again lets nobody in', async () => {
    const { ask, settle, press, afterPause, dialogs, calls } = setUp();
    await ask('one');
    settle('one');
    await ask('one again');
    dialogs[0]!.answer(dialogs[0]!.options.buttons!.indexOf('Approve'));
    await afterPause();
    expect(calls).toEqual([]);
    await press('Approve');
    expect(calls).toMatchObject([['signIns.approve', { id: 'one again' }]]);
  });

  test('come one at a time, in turn', async () => {
    const { ask, press, afterPause, dialogs } = setUp();
    await ask('one');
    await ask('two');
    await ask('three');
    expect(dialogs).toHaveLength(1);
    for (let turn = 0; turn < 3; turn += 1) {
      await press('Deny');
      await afterPause();
    }
    expect(dialogs.map(({ options }) => options.message.split(' ')[4])).toEqual(['one', 'two', 'three']);
  });

  test('go away when the sign-in is settled elsewhere; the next one comes', async () => {
    const { ask, settle, afterPause, dialogs, calls } = setUp();
    await ask('one');
    await ask('two');
    settle('one');
    await settled();
    expect(dialogs[0]!.options.signal?.aborted).toBe(true);
    await afterPause();
    expect(dialogs).toHaveLength(2);
    expect(calls).toEqual([]);
  });

  test('are not shown for a sign-in that was answered while it waited in turn', async () => {
    const { ask, settle, press, afterPause, dialogs } = setUp();
    await ask('one');
    await ask('two');
    settle('two');
    await press('Deny');
    await afterPause();
    expect(dialogs).toHaveLength(1);
  });

  test('wait while the screen is locked, and come when it is not', async () => {
    const { ask, lock, unlock, dialogs } = setUp();
    lock();
    await ask('one');
    expect(dialogs).toHaveLength(0);
    await unlock();
    expect(dialogs).toHaveLength(1);
  });

  test('are never shown for a sign-in that was answered behind a locked screen; the next one waits too', async () => {
    const { ask, lock, unlock, settle, afterPause, dialogs } = setUp();
    lock();
    await ask('one');
    await ask('two');
    settle('one');
    await settled();
    await afterPause();
    expect(dialogs).toHaveLength(0);
    await unlock();
    expect(dialogs.map(({ options }) => options.message.split(' ')[4])).toEqual(['two']);
  });

  test('are not shown for an expired sign-in, and the next one still is', async () => {
    const { ask, afterPause, dialogs } = setUp();
    await ask('old', -1);
    await settled();
    expect(dialogs).toHaveLength(0);
    await ask('new');
    await afterPause();
    expect(dialogs).toHaveLength(1);
  });

  test('a failed answer is reported, and the next dialog opens', async () => {
    const { ask, press, afterPause, approved, failed, dialogs } = setUp({
      error: { code: 'not_found', message: 'It is gone.' },
    });
    await ask('one');
    await ask('two');
    await press('Approve');
    expect(failed).toHaveBeenCalledOnce();
    expect(failed.mock.calls[0]![0]).toMatchObject({ code: 'not_found', message: 'It is gone.' });
    expect(approved).not.toHaveBeenCalled();
    await afterPause();
    expect(dialogs).toHaveLength(2);
  });

  test('begin with the waiting sign-ins, once each, and leave out those answered in the meantime', async () => {
    const waiting = ['gone', 'one', 'two'].map((id) => signIn(id));
    const { ask, settle, list, press, afterPause, dialogs } = setUp(undefined, waiting);
    await ask('one');
    settle('gone');
    await list();
    await press('Deny');
    await afterPause();
    await press('Deny');
    await afterPause();
    expect(dialogs.map(({ options }) => options.message.split(' ')[4])).toEqual(['one', 'two']);
  });

  test('are not shown for a list that comes after the end', async () => {
    const { list, end, dialogs } = setUp(undefined, [signIn('one')]);
    end();
    await list();
    expect(dialogs).toEqual([]);
  });

  test('all go away at the end, and nothing is answered', async () => {
    const { ask, end, afterPause, dialogs, listeners, calls } = setUp();
    await ask('one');
    await ask('two');
    end();
    await afterPause();
    expect(dialogs).toHaveLength(1);
    expect(dialogs[0]!.options.signal?.aborted).toBe(true);
    expect(listeners.size).toBe(0);
    expect(calls).toEqual([]);
  });
});
