import type { OwnerApi, Reply } from '../contract/contract.ts';
import { ask } from '../app/ask.ts';
import { isRecord, own } from '../storage/json-value.ts';
import { failureWords } from './failure-words.ts';

/** The system's login item, which starts Porchlight at login. */
export interface LoginItem {
  /** Returns whether the login item is enabled in the system, by Porchlight or by the owner. */
  isOn(): Promise<boolean>;
  /**
   * Enables or disables the login item.
   * @throws if the system refuses.
   */
  set(on: boolean): Promise<void>;
  /** Updates an enabled item with the app's current location. Never enables an item. */
  renew(): Promise<void>;
}

/**
 * Wraps the owner's API so that a change to `settings.desktop.startAtLogin` also changes the login item. Changes the
 * login item first, and saves the setting only if the system accepted the change.
 */
export function withStartAtLogin(owner: OwnerApi, item: LoginItem): OwnerApi {
  return {
    subscribe: (listener) => owner.subscribe(listener),
    async call(method, params): Promise<Reply> {
      const on = method === 'settings.update' ? wishOf(params) : undefined;
      if (on === undefined) return owner.call(method, params);
      try {
        const before = await item.isOn();
        await item.set(on);
        const reply = await owner.call(method, params);
        if ('error' in reply) await item.set(before);
        return reply;
      } catch (error) {
        const message = `Start at login could not be changed. ${failureWords(error).detail}`;
        return { error: { code: 'not_supported', message } };
      }
    },
  };
}

/**
 * Updates the start-at-login setting from the system's login item, at startup. The setting and the item can differ
 * if the owner turned the item off in the system, or copied the data from another computer. Never turns the login item
 * on.
 */
export async function followSystem(owner: OwnerApi, item: LoginItem): Promise<void> {
  const { desktop } = await ask(owner, 'settings.get', {});
  const on = await item.isOn();
  if (on !== desktop.startAtLogin) await ask(owner, 'settings.update', { desktop: { startAtLogin: on } });
  if (on) await item.renew();
}

function wishOf(params: unknown): boolean | undefined {
  const desktop = isRecord(params) ? own(params, 'desktop') : undefined;
  const wish = isRecord(desktop) ? own(desktop, 'startAtLogin') : undefined;
  return typeof wish === 'boolean' ? wish : undefined;
}
