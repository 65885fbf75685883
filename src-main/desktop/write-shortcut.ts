import type { OwnerApi, Reply } from '../contract/contract.ts';
import { isShortcut } from '../contract/window.ts';
import { ask } from '../app/ask.ts';
import { isRecord, own } from '../storage/json-value.ts';

/** The system's global shortcuts. Electron's `globalShortcut` has these functions. */
export interface SystemShortcuts {
  /**
   * Registers a shortcut. Returns whether the system accepted it.
   * @throws if the string is not an accelerator.
   */
  register(accelerator: string, pressed: () => void): boolean;
  unregister(accelerator: string): void;
}

/**
 * Keeps the global shortcut of `settings.desktop.writeShortcut` registered with the system. `pressed`: called when the
 * owner presses the shortcut.
 */
export function keepWriteShortcut(owner: OwnerApi, system: SystemShortcuts, pressed: () => void) {
  /** The registered shortcut; empty if there is none. */
  let current = '';

  /**
   * Registers a shortcut in place of the current one. If that is impossible, keeps the current one and returns false.
   */
  function change(next: string): boolean {
    if (next === current) return true;
    if (next !== '' && !accepts(next)) return false;
    if (current !== '') system.unregister(current);
    current = next;
    return true;
  }

  function accepts(next: string): boolean {
    try {
      return isShortcut(next) && system.register(next, pressed);
    } catch {
      return false;
    }
  }

  /** The owner's API. It saves a new shortcut in the settings only if the system accepts the shortcut. */
  const checked: OwnerApi = {
    subscribe: (listener) => owner.subscribe(listener),
    async call(method, params): Promise<Reply> {
      const requested = method === 'settings.update' ? wishOf(params) : undefined;
      if (requested === undefined) return owner.call(method, params);
      const before = current;
      if (!change(requested)) return refusal;
      const reply = await owner.call(method, params);
      if ('error' in reply) change(before);
      return reply;
    },
  };

  return {
    owner: checked,

    /**
     * Registers the shortcut from the settings, now and whenever the settings change. Calls `refused` if the system
     * does not accept the shortcut.
     */
    async start(refused: () => void): Promise<() => void> {
      const follow = (next: string) => {
        if (!change(next)) refused();
      };
      const unsubscribe = owner.subscribe(({ name, data }) => {
        if (name === 'settings.changed') follow(data.desktop.writeShortcut);
      });
      follow((await ask(owner, 'settings.get', {})).desktop.writeShortcut);
      return () => {
        unsubscribe();
        change('');
      };
    },
  };
}

const refusal: Reply = {
  error: {
    code: 'not_supported',
    message: 'The system doesn’t allow this shortcut, or another app uses it. Choose other keys.',
  },
};

function wishOf(params: unknown): string | undefined {
  const desktop = isRecord(params) ? own(params, 'desktop') : undefined;
  const wish = isRecord(desktop) ? own(desktop, 'writeShortcut') : undefined;
  return typeof wish === 'string' ? wish : undefined;
}
