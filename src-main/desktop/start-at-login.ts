import type { OwnerApi, Reply } from '../contract/contract.ts';
import { ask } from '../owner/ask.ts';
import { failureWords } from './failure-words.ts';
import type { LoginItem } from './login-item-shape.ts';

/**
 * Returns the owner's API with `settings.desktop.startAtLogin` kept in step with the system: the system is changed
 * first, and the setting is saved only if the system accepted the change.
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
        return {
          error: {
            code: 'not_supported',
            message: `Start at login could not be changed. ${failureWords(error).detail}`,
          },
        };
      }
    },
  };
}

/**
 * Updates the setting from the system at startup. The owner may have turned the login item off in the system, or copied
 * the data from another computer. Never turns the login item on.
 */
export async function followSystem(owner: OwnerApi, item: LoginItem): Promise<void> {
  const { desktop } = await ask(owner, 'settings.get', {});
  const on = await item.isOn();
  if (on !== desktop.startAtLogin) await ask(owner, 'settings.update', { desktop: { startAtLogin: on } });
  if (on) await item.renew();
}

function wishOf(params: unknown): boolean | undefined {
  const desktop = field(params, 'desktop');
  const wish = field(desktop, 'startAtLogin');
  return typeof wish === 'boolean' ? wish : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
