import { describe, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import { isShortcut } from '../../../src-main/contract/window.ts';
import { keepWriteShortcut } from '../../../src-main/desktop/write-shortcut.ts';

/** A system and a service. `taken`: the shortcuts of other apps. */
function setUp({ setting = '', taken = [] as string[], full = false } = {}) {
  const registered = new Set<string>();
  const now = { setting };
  const listeners = new Set<(event: OwnerEvent) => void>();
  const settings = () => ({ desktop: { writeShortcut: now.setting } });
  const emit = () => {
    for (const listener of listeners) listener({ name: 'settings.changed', data: settings() } as OwnerEvent);
  };
  const service: OwnerApi = {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call(method, params) {
      if (method === 'settings.update') {
        if (full) return Promise.resolve({ error: { code: 'storage_full', message: 'The disk is full.' } });
        now.setting =
          (params as { desktop?: { writeShortcut?: string } }).desktop?.writeShortcut ?? now.setting;
        emit();
      }
      return Promise.resolve({ result: settings() });
    },
  };
  const system = {
    register(accelerator: string) {
      if (accelerator.startsWith('?')) throw new TypeError('no accelerator');
      if (taken.includes(accelerator)) return false;
      registered.add(accelerator);
      return true;
    },
    unregister: (accelerator: string) => void registered.delete(accelerator),
  };
  const shortcut = keepWriteShortcut(service, system, vi.fn());
  const set = (writeShortcut: string) =>
    shortcut.owner.call('settings.update', { desktop: { writeShortcut } });
  return { shortcut, set, now, emit, registered: () => [...registered] };
}

describe('the shortcut of the editor', () => {
  test('is off until it is set', async () => {
    const { shortcut, registered } = setUp();
    await shortcut.start(() => expect.unreachable());
    expect(registered()).toEqual([]);
  });

  test('is registered when it is set, changed and removed', async () => {
    const { set, registered, now } = setUp();
    expect(await set('Control+Alt+N')).toHaveProperty('result');
    expect([registered(), now.setting]).toEqual([['Control+Alt+N'], 'Control+Alt+N']);
    await set('Meta+F5');
    expect(registered()).toEqual(['Meta+F5']);
    await set('');
    expect([registered(), now.setting]).toEqual([[], '']);
  });

  test.each([
    ['another app has', 'Control+Q'],
    ['is no shortcut', 'Banana'],
    ['would take a letter from every app', 'Shift+N'],
    ['is no accelerator', '?'],
  ])('that %s is refused and changes nothing', async (_, requested) => {
    const { set, registered, now } = setUp({ taken: ['Control+Q'] });
    await set('Control+Alt+N');
    expect(await set(requested)).toMatchObject({
      error: { code: 'not_supported', message: expect.any(String) as string },
    });
    expect([registered(), now.setting]).toEqual([['Control+Alt+N'], 'Control+Alt+N']);
  });

  test('that can’t be saved is taken back from the system', async () => {
    const { set, registered } = setUp({ full: true });
    expect(await set('Control+Alt+N')).toHaveProperty('error');
    expect(registered()).toEqual([]);
  });

  test('is registered at a start, follows the settings, and is unregistered at the end', async () => {
    const { shortcut, now, emit, registered } = setUp({ setting: 'Control+Alt+N' });
    const refused = vi.fn();
    const end = await shortcut.start(refused);
    expect(registered()).toEqual(['Control+Alt+N']);
    now.setting = 'Control+Alt+M';
    emit();
    expect(registered()).toEqual(['Control+Alt+M']);
    end();
    expect(registered()).toEqual([]);
    expect(refused).not.toHaveBeenCalled();
  });

  test('that the system refuses at a start is reported', async () => {
    const { shortcut } = setUp({ setting: 'Control+Q', taken: ['Control+Q'] });
    const refused = vi.fn();
    await shortcut.start(refused);
    expect(refused).toHaveBeenCalledOnce();
  });

  test('other settings leave the system alone', async () => {
    const { shortcut, registered, now } = setUp();
    await shortcut.owner.call('settings.update', { desktop: { sound: true } });
    expect([registered(), now.setting]).toEqual([[], '']);
  });
});

test.each(['Control+Alt+N', 'Meta+F12', 'Alt+Space', 'Control+Shift+/', 'Control+-'])(
  '%s is a shortcut',
  (text) => {
    expect(isShortcut(text)).toBe(true);
  },
);

test.each([
  '',
  'N',
  'Shift+N',
  'Control',
  'Control+Control+N',
  'Control+Alt',
  'Control+F25',
  'Control+NN',
  'control+n',
])('“%s” is none', (text) => {
  expect(isShortcut(text)).toBe(false);
});
