import { useEffect } from 'react';
import { screens, type Screen } from '../src-main/contract/window.ts';
import type { Client } from './client/client.ts';
import { hashOf } from './routes.ts';

/** As many screens as there are digits from 1 to 9. */
const numbered = screens.slice(0, 9);

const isMac = () => navigator.platform.startsWith('Mac');

/** Returns the keys that open the search, as they stand on the keyboard. */
export const searchKeys = () => (isMac() ? '⌘K' : 'Ctrl K');

/** Returns the keys that open a screen in the desktop app, as they stand on the keyboard; undefined if it has none. */
export function screenKeys(screen: Screen): string | undefined {
  const index = numbered.indexOf(screen);
  if (index === -1) return undefined;
  return isMac() ? `⌘${index + 1}` : `Ctrl ${index + 1}`;
}

/** A dialog that waits for an answer. An item that a narrow window opens over its list is none. */
const question = '[aria-modal="true"]:not(.mantine-Drawer-content)';

interface Shortcuts {
  readonly home: Client['home'];
  readonly onSearch: () => void;
}

/**
 * Opens the search on Ctrl+K, and in the desktop app a screen on Ctrl+1 to Ctrl+9: browsers keep these for their tabs.
 * On a Mac, it is the command key. An editor that takes the keys for itself keeps them, and a dialog stays until it is
 * answered.
 */
export function useShortcuts({ home, onSearch }: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isHeld = isMac() ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
      if (!isHeld || event.altKey || event.shiftKey || event.defaultPrevented || event.repeat) return;
      if (document.querySelector(question) !== null) return;
      // By its place on the keyboard, because not every keyboard writes digits without Shift.
      const [, digit] = /^Digit([1-9])$/.exec(event.code) ?? [];
      const screen = home === 'desktop' && digit !== undefined ? numbered[Number(digit) - 1] : undefined;
      if (event.key.toLowerCase() === 'k') onSearch();
      else if (screen !== undefined) window.location.hash = hashOf(screen);
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [home, onSearch]);
}
