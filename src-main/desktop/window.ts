import { app, autoUpdater, BrowserWindow, nativeTheme, screen } from 'electron';
import type { WindowSignal } from '../contract/window-signal.ts';
import { followAccent } from './accent.ts';
import { pageAddress } from './addresses.ts';
import { signalChannel } from './channels.ts';
import { offerContextMenu } from './context-menu.ts';
import { smallestSize, startBounds, type KeptWindowState } from './window-state.ts';
import { zoomPage } from './zoom.ts';

/**
 * Creates the owner's window and loads its page at `place`. `open` shows it as soon as its page is ready. The window is
 * hidden and shown, and destroyed only when the app quits.
 */
export function createWindow(
  files: { readonly preload: string; readonly icon: string },
  state: KeptWindowState,
  { open, place }: { open: boolean; place: string | undefined },
) {
  const { bounds, maximized, zoom: startZoom } = state.now();
  const browser = new BrowserWindow({
    ...startBounds(
      bounds,
      screen.getAllDisplays().map(({ workArea }) => workArea),
    ),
    minWidth: smallestSize.width,
    minHeight: smallestSize.height,
    title: 'Porchlight',
    icon: files.icon,
    // The page's own background (ui/theme.ts), so that nothing flashes white while the window grows.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1c1917' : '#faf8f5',
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload: files.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      // desktop/spelling.ts decides whether anything is checked.
      spellcheck: true,
      zoomFactor: startZoom,
      navigateOnDragDrop: false,
      devTools: !app.isPackaged,
    },
  });
  const remember = () =>
    state.change({ bounds: browser.getNormalBounds(), maximized: browser.isMaximized() });
  const signal = (message: WindowSignal) => browser.webContents.send(signalChannel, message);
  const zoom = zoomPage(browser.webContents, startZoom, (factor) => {
    state.change({ zoom: factor });
    signal({ name: 'zoom', percent: Math.round(factor * 100) });
  });
  offerContextMenu(browser);
  followAccent(browser.webContents);
  // macOS closes all windows before it installs an update, and waits until they are gone.
  let isUpdating = false;
  autoUpdater.once('before-quit-for-update', () => (isUpdating = true));
  browser.on('close', (event) => {
    if (isUpdating) {
      remember();
      return;
    }
    // Closing only hides the window. Quitting does not close it: it stops the service first and then exits (ending.ts).
    event.preventDefault();
    browser.hide();
  });
  browser.on('hide', remember);
  let isFirst = true;
  const reveal = () => {
    // Maximizing also shows the window, so a window that starts hidden is maximized only when it is first shown.
    if (isFirst && maximized) browser.maximize();
    isFirst = false;
    browser.show();
  };
  if (open) browser.once('ready-to-show', reveal);
  const load = (address: string) => {
    // Rejects if another place is requested in the meantime; the window then loads the new place.
    browser.loadURL(address).catch(() => undefined);
  };
  load(pageAddress(place));

  return {
    browser,
    /** Brings the window to the front, at a place such as `#/sign-ins?id=...` if one is given. */
    show: (place?: string): void => {
      if (browser.isDestroyed()) return;
      // Loading the current URL again would reload the page and lose what the owner was writing.
      if (place !== undefined && browser.webContents.getURL() !== pageAddress(place))
        load(pageAddress(place));
      if (browser.isMinimized()) browser.restore();
      reveal();
      browser.focus();
    },
    /** Opens the page's find bar. */
    find: (): void => {
      if (browser.isDestroyed()) return;
      reveal();
      signal({ name: 'find' });
    },
    zoom,
    /** Hides the window and remembers its bounds. */
    putAway: (): void => {
      if (!browser.isDestroyed() && browser.isVisible()) browser.hide();
    },
  };
}
