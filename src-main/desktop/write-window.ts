import { BrowserWindow } from 'electron';
import { followAccent } from './accent.ts';
import { smallPageAddress } from './addresses.ts';
import { offerContextMenu } from './context-menu.ts';
import { onFirstFrame } from './first-frame.ts';
import { hideOnClose, pageWindowOptions, type WindowFiles } from './page-window.ts';

const size = { width: 520, height: 640, minWidth: 360, minHeight: 400 };

interface WriteWindowOptions {
  readonly files: WindowFiles;
  /** Returns the zoom factor that the owner chose. Chromium keeps one zoom factor for all windows of an origin. */
  readonly zoom: () => number;
  /** Connects a new window to the owner's API. */
  readonly connect: (window: BrowserWindow) => void;
}

/**
 * Returns functions that open and close the small editor window. The window is created when it first opens. After
 * that, it is only hidden and shown.
 */
export function createWriteWindow({ files, zoom, connect }: WriteWindowOptions) {
  let browser: BrowserWindow | undefined;

  function create(): BrowserWindow {
    const created = new BrowserWindow({ ...pageWindowOptions(files, zoom()), ...size });
    connect(created);
    offerContextMenu(created);
    followAccent(created.webContents);
    hideOnClose(created);
    onFirstFrame(created, () => created.show());
    return created;
  }

  return {
    /** Brings the window to the front. Loads the editor unless the window already shows it. */
    open: (): void => {
      const isNew = browser === undefined || browser.isDestroyed();
      if (browser === undefined || isNew) browser = create();
      if (!isEditor(browser.webContents.getURL())) {
        // `loadURL` rejects if another URL is requested while this one is loading.
        browser.loadURL(smallPageAddress('#/write')).catch(() => undefined);
      }
      if (isNew) return;
      if (browser.isMinimized()) browser.restore();
      browser.show();
      browser.focus();
    },
    close: (): void => {
      if (browser?.isDestroyed() === false) browser.destroy();
    },
  };
}

/** Returns whether a URL shows the editor in the small window. */
const isEditor = (url: string) => url.startsWith(smallPageAddress('#/write'));
