import { useEffect } from 'react';

const checks = new Set<() => boolean>();

/**
 * Returns whether the owner would lose something if this page ended now: unsaved text, a changed form, an open dialog or
 * an action that is running. The desktop app closes a window that has been hidden for long only if nothing is unfinished.
 */
export function isUnfinished(): boolean {
  const isAsking = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
  return isAsking || [...checks].some((check) => check());
}

/** Has `check` say whether something is unfinished, until the returned function is called. */
export function watchUnfinished(check: () => boolean): () => void {
  checks.add(check);
  return () => void checks.delete(check);
}

/** Says whether something in this component is unfinished. */
export function useUnfinished(unfinished: boolean): void {
  useEffect(() => (unfinished ? watchUnfinished(() => true) : undefined), [unfinished]);
}
