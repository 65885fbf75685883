import {
  app,
  autoUpdater,
  nativeTheme,
  type BrowserWindow,
  type BrowserWindowConstructorOptions,
} from 'electron';

export interface WindowFiles {
  readonly preload: string;
  readonly icon: string;
}

/**
 * Returns the options that every window of the app has. A window's page has no access to Node. It can use only the
 * functions of the preload script.
 */
export function pageWindowOptions(
  { preload, icon }: WindowFiles,
  zoom: number,
): BrowserWindowConstructorOptions {
  return {
    title: 'Porchlight',
    icon,
    // Use the page's own background color (ui/theme.ts). With the default color, the window would flash white while it
    // is being enlarged.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1c1917' : '#faf8f5',
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      // `spellcheck` only makes spell checking possible. desktop/spelling.ts decides whether it is on.
      spellcheck: true,
      zoomFactor: zoom,
      navigateOnDragDrop: false,
      devTools: !app.isPackaged,
    },
  };
}

/**
 * Hides a window instead of closing it, so that its page can finish saving. Quitting does not close windows: the app
 * stops the service first and then exits (ending.ts). `closing`: called before an update closes the window.
 */
export function hideOnClose(browser: BrowserWindow, closing: () => void = () => undefined): void {
  // Before macOS installs an update, it closes all windows and waits until they are closed.
  let isUpdating = false;
  autoUpdater.once('before-quit-for-update', () => (isUpdating = true));
  browser.on('close', (event) => {
    if (isUpdating) {
      closing();
      return;
    }
    event.preventDefault();
    browser.hide();
  });
}
