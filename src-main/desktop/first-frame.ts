import type { BrowserWindow } from 'electron';

/** How long to wait for the first frame after the page of a window has loaded, in ms. */
const patienceMs = 2000;

/**
 * Calls `show` once, as soon as the page of a new, hidden window is drawn. Some graphics systems draw nothing for a
 * hidden window, so that Electron's event `ready-to-show` never comes (Electron issue 25253). In that case, calls `show`
 * 2 s after the page has loaded. Otherwise, the window would stay invisible, and its page would not be drawn either.
 */
export function onFirstFrame(
  browser: Pick<BrowserWindow, 'once' | 'isDestroyed' | 'webContents'>,
  show: () => void,
): void {
  let isDone = false;
  const showOnce = () => {
    if (isDone || browser.isDestroyed()) return;
    isDone = true;
    show();
  };
  browser.once('ready-to-show', showOnce);
  browser.webContents.once('did-finish-load', () => setTimeout(showOnce, patienceMs).unref());
}
