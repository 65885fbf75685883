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

/** Returns the options of every window of ours. Its page has nothing but the functions of the preload script. */
export function pageWindowOptions(
  { preload, icon }: WindowFiles,
  zoom: number,
): BrowserWindowConstructorOptions {
  return {
    title: 'Porchlight',
    icon,
    // The page's own background (ui/theme.ts), so that nothing flashes white while the window grows.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1c1917' : '#faf8f5',
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      // desktop/spelling.ts decides whether anything is checked.
      spellcheck: true,
      zoomFactor: zoom,
      navigateOnDragDrop: false,
      devTools: !app.isPackaged,
    },
  };
}

/**
 * Makes closing a window hide it. Its page stays and can finish saving. Quitting does not close windows: it stops the
 * service first and then exits (ending.ts). `closing`: called before the window really closes.
 */
export function hideOnClose(browser: BrowserWindow, closing: () => void = () => undefined): void {
  // macOS closes all windows before it installs an update, and waits until they are gone.
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
