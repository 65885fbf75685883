import { join } from 'node:path';
import { app, autoUpdater, BrowserWindow, nativeTheme, screen } from 'electron';
import { pageAddress } from './addresses.ts';
import { readBounds, smallestSize, startBounds, writeBounds } from './bounds.ts';

/** The owner's window: made once, hidden and shown, gone only when the app quits. */
export interface OwnerWindow {
  readonly browser: BrowserWindow;
  /** Brings it to the front, at a place such as `#/sign-ins?id=...` where one is given. */
  show(place?: string): void;
  /** Hides it and remembers where it was. */
  putAway(): void;
}

export interface WindowFiles {
  readonly preload: string;
  readonly icon: string;
}

/** Makes the window and loads its page, at `place`; `open` shows it as soon as there is something to see. */
export function createWindow(
  files: WindowFiles,
  { open, place }: { open: boolean; place: string | undefined },
): OwnerWindow {
  const boundsFile = join(app.getPath('userData'), 'window.json');
  const browser = new BrowserWindow({
    ...startBounds(
      readBounds(boundsFile),
      screen.getAllDisplays().map(({ workArea }) => workArea),
    ),
    minWidth: smallestSize.width,
    minHeight: smallestSize.height,
    title: 'Porchlight',
    icon: files.icon,
    // The page's own ground (ui/theme.ts), so that nothing flashes white where the window grows.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1c1917' : '#faf8f5',
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload: files.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      navigateOnDragDrop: false,
      devTools: !app.isPackaged,
    },
  });
  const remember = () => writeBounds(boundsFile, browser.getNormalBounds());
  // macOS closes all windows before it installs an update, and waits until they are gone.
  let isUpdating = false;
  autoUpdater.once('before-quit-for-update', () => (isUpdating = true));
  browser.on('close', (event) => {
    if (isUpdating) {
      remember();
      return;
    }
    // Quitting does not come through here: it stops the service first and then exits (ending.ts).
    event.preventDefault();
    browser.hide();
  });
  browser.on('hide', remember);
  if (open) browser.once('ready-to-show', () => browser.show());
  const load = (address: string) => {
    // Rejects where another place is asked for meanwhile; that one is loaded then.
    browser.loadURL(address).catch(() => undefined);
  };
  load(pageAddress(place));

  return {
    browser,
    show: (place) => {
      if (browser.isDestroyed()) return;
      if (place !== undefined) load(pageAddress(place));
      if (browser.isMinimized()) browser.restore();
      browser.show();
      browser.focus();
    },
    putAway: () => {
      if (!browser.isDestroyed() && browser.isVisible()) browser.hide();
    },
  };
}
