import { describe, expect, test } from 'vitest';
import type { OwnerApi } from '../../../src-main/contract/contract.ts';
import { followSystem, type LoginItem, withStartAtLogin } from '../../../src-main/desktop/start-at-login.ts';

/** A system with a login item, and a service with a setting. */
function setUp({ system, setting, refuses = '' }: { system: boolean; setting: boolean; refuses?: string }) {
  const now = { system, setting, renewed: 0 };
  const item: LoginItem = {
    isOn: () => Promise.resolve(now.system),
    set: (on) => {
      if (refuses === 'system') return Promise.reject(new Error('No room.'));
      now.system = on;
      return Promise.resolve();
    },
    renew: () => Promise.resolve(void (now.renewed += 1)),
  };
  const owner: OwnerApi = {
    subscribe: () => () => undefined,
    call: (method, params) => {
      if (method === 'settings.update') {
        if (refuses === 'service')
          return Promise.resolve({ error: { code: 'storage_full', message: 'The disk is full.' } });
        const { desktop } = params as { desktop?: { startAtLogin?: boolean } };
        now.setting = desktop?.startAtLogin ?? now.setting;
      }
      return Promise.resolve({ result: { desktop: { startAtLogin: now.setting } } });
    },
  };
  return { now, item, owner };
}

const update = (startAtLogin: boolean) => ['settings.update', { desktop: { startAtLogin } }] as const;

describe('start at login', () => {
  test.each([true, false])('is set in the system and kept: %s', async (on) => {
    const { now, item, owner } = setUp({ system: !on, setting: !on });
    expect(await withStartAtLogin(owner, item).call(...update(on))).toHaveProperty('result');
    expect(now).toMatchObject({ system: on, setting: on });
  });

  test('is not kept if the system refuses, and the owner learns why', async () => {
    const { now, item, owner } = setUp({ system: false, setting: false, refuses: 'system' });
    expect(await withStartAtLogin(owner, item).call(...update(true))).toMatchObject({
      error: { message: expect.stringContaining('No room.') as string },
    });
    expect(now.setting).toBe(false);
  });

  test('is removed from the system if the setting could not be saved', async () => {
    const { now, item, owner } = setUp({ system: false, setting: false, refuses: 'service' });
    expect(await withStartAtLogin(owner, item).call(...update(true))).toHaveProperty('error');
    expect(now.system).toBe(false);
  });

  test('other settings leave the system alone', async () => {
    const { now, item, owner } = setUp({ system: true, setting: false });
    await withStartAtLogin(owner, item).call('settings.update', { desktop: { sound: true } });
    expect(now).toMatchObject({ system: true, setting: false });
  });

  test('stays off when the owner turned it off in the system: the setting follows', async () => {
    const { now, item, owner } = setUp({ system: false, setting: true });
    await followSystem(owner, item);
    expect(now).toEqual({ system: false, setting: false, renewed: 0 });
  });

  test('is changed to the app’s current path while it is on', async () => {
    const { now, item, owner } = setUp({ system: true, setting: true });
    await followSystem(owner, item);
    expect(now).toEqual({ system: true, setting: true, renewed: 1 });
  });
});
