import { useEffect, useState } from 'react';

/** Returns the focus to the element that had it before, when a dialog that uses this hook closes. */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}
