/** Copies a text to the clipboard. Returns false if the system refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Copies the older way, which needs no permission. */
function copyBySelection(text: string): boolean {
  const page: { execCommand?: (command: 'copy') => boolean } = document;
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  area.style.cssText = 'position: fixed; inset: 0 auto auto 0; opacity: 0';
  // Beside the focused element, so that a dialog does not take the focus back.
  (before?.parentElement ?? document.body).append(area);
  area.select();
  try {
    return page.execCommand?.('copy') ?? false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
