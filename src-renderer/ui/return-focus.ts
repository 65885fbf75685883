import { useEffect, useState } from 'react';

/** Returns the focus to the element that had it before, when a dialog that uses this hook closes. */
export function useReturnFocus(): void {
  const [before] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}

/** A menu closes when one of its entries opens a dialog, so the menu's button stands in for the entry. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}
