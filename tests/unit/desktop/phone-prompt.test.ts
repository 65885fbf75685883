import type { MessageBoxOptions, MessageBoxReturnValue, NativeImage } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import type { Phone } from '../../../src-main/contract/phones.ts';
import { startPhonePrompts, withoutConfirming } from '../../../src-main/desktop/phone-prompt.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const phone: Phone = {
  ...{ id: 'phone-1', name: 'Ada’s\u202E phone', code: '123456', pairedAt: null, lastUsedAt: null },
  ...{ synced: true, usable: true, approved: [] },
};

/** Dialogs that wait for an answer. */
function setUp() {
  const calls: unknown[] = [];
  let hear: (event: OwnerEvent) => void = () => undefined;
  const owner: OwnerApi = {
    call: (...call) => {
      calls.push(call);
      return Promise.resolve({ result: {} });
    },
    subscribe: (listener) => {
      hear = listener;
      return () => undefined;
    },
  };
  const dialogs: { options: MessageBoxOptions; answer: (response: number) => void }[] = [];
  const showMessageBox = (options: MessageBoxOptions) =>
    new Promise<MessageBoxReturnValue>((resolve) => {
      const answer = (response: number) => resolve({ response, checkboxChecked: false });
      options.signal?.addEventListener('abort', () => answer(options.cancelId ?? 0));
      dialogs.push({ options, answer });
    });
  const failed = vi.fn();
  startPhonePrompts({ owner, showMessageBox, icon: {} as NativeImage, failed });
  const emit = (...data: Phone[]) => hear({ name: 'phones.changed', data });
  return { owner, calls, dialogs, emit };
}

test('the native dialog shows the code, counts no hurried answer, and pairs', async () => {
  const { calls, dialogs, emit } = setUp();
  emit(phone);
  emit(phone);
  expect(dialogs).toHaveLength(1);
  const [{ options, answer }] = dialogs as [(typeof dialogs)[number]];
  expect(options.title).toBe('123 456: Pair this phone?');
  expect(options.detail).toContain('Pair “Ada’s phone” only if it shows this code.');
  expect(options.detail).toContain('may be copied to other devices');
  expect(options.buttons?.[options.defaultId ?? -1]).toBe('Cancel');
  answer(1);
  await vi.waitFor(() => expect(dialogs).toHaveLength(2));
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1000);
  dialogs[1]!.answer(1);
  await vi.waitFor(() => expect(calls).toEqual([['phones.confirm', { id: 'phone-1' }]]));
});

test('Cancel removes the phone that waits, and one that no longer waits closes the dialog', async () => {
  const { calls, dialogs, emit } = setUp();
  emit(phone);
  dialogs[0]!.answer(0);
  await vi.waitFor(() => expect(calls).toEqual([['phones.remove', { id: 'phone-1' }]]));
  emit({ ...phone, id: 'phone-2' });
  emit();
  await vi.waitFor(() => expect(dialogs[1]!.options.signal?.aborted).toBe(true));
  expect(calls).toHaveLength(1);
});

test('a window can’t confirm a phone, whatever runs in it', async () => {
  const { owner, calls } = setUp();
  const windows = withoutConfirming(owner);
  expect(await windows.call('phones.confirm', { id: 'phone-1' })).toMatchObject({
    error: { code: 'not_allowed' },
  });
  expect(calls).toEqual([]);
  await windows.call('phones.list', {});
  expect(calls).toEqual([['phones.list', {}]]);
});
