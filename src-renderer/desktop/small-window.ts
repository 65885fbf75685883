import { useEffect } from 'react';
import type { Bridge } from '../client/ipc.ts';
import { isSmallWindow } from '../routes.ts';

/** What Escape closes before it closes the window. */
const inner = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [role="search"]';

/**
 * Closes the small window on Escape, unless something in it takes the key. The app only hides the window, so the editor
 * can finish saving.
 */
export function useCloseOnEscape(bridge: Pick<Bridge, 'closeWindow'>): void {
  useEffect(() => {
    if (!isSmallWindow()) return;
    let isTaken = false;
    // Before anything else hears the key: a dialog that it closes is gone afterwards.
    const check = () => {
      // A closed list of suggestions stays in the page, hidden.
      isTaken = [...document.querySelectorAll(inner)].some((element) => element.checkVisibility());
    };
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.isComposing && !event.defaultPrevented && !isTaken)
        bridge.closeWindow();
    };
    window.addEventListener('keydown', check, true);
    window.addEventListener('keydown', close);
    return () => {
      window.removeEventListener('keydown', check, true);
      window.removeEventListener('keydown', close);
    };
  }, [bridge]);
}

/** Closes the small window, once its post is published. Does nothing in any other window. */
export function closeSmallWindow(): void {
  if (isSmallWindow()) window.porchlight?.closeWindow();
}
