import { BrowserWindow, screen } from 'electron';
import type { WindowSignal } from '../contract/window.ts';
import { pageAddress, smallPageAddress } from './addresses.ts';
import { signalChannel } from './channels.ts';
import { onFirstFrame } from './first-frame.ts';
import { offerContextMenu } from './menus.ts';
import { followAccent, hideOnClose, pageWindowOptions, type WindowFiles } from './page-window.ts';
import { type KeptWindowState, smallestSize, startBounds, zoomPage } from './window-state.ts';

/**
 * Creates the owner's window and loads its page. `place`: the URL fragment to show. `open`: whether to show the window
 * as soon as its page is ready. Closing the window only hides it. The window is destroyed when the app quits.
 */
export function createWindow(
  files: WindowFiles,
  state: KeptWindowState,
  { open, place }: { open: boolean; place: string | undefined },
) {
  const { bounds, maximized, zoom: startZoom } = state.now();
  const browser = new BrowserWindow({
    ...pageWindowOptions(files, startZoom),
    ...startBounds(
      bounds,
      screen.getAllDisplays().map(({ workArea }) => workArea),
    ),
    minWidth: smallestSize.width,
    minHeight: smallestSize.height,
  });
  let isFirst = true;
  // Before it is first shown, the window isn't maximized yet.
  const remember = () =>
    state.change({
      bounds: browser.getNormalBounds(),
      maximized: isFirst ? maximized : browser.isMaximized(),
    });
  const signal = (message: WindowSignal) => browser.webContents.send(signalChannel, message);
  const zoom = zoomPage(browser.webContents, startZoom, (factor) => {
    state.change({ zoom: factor });
    signal({ name: 'zoom', percent: Math.round(factor * 100) });
  });
  offerContextMenu(browser);
  followAccent(browser.webContents);
  hideOnClose(browser, remember);
  browser.on('hide', remember);
  const reveal = () => {
    // Maximizing also shows a window. A window that starts hidden is therefore maximized only when it is first shown.
    if (isFirst && maximized) browser.maximize();
    isFirst = false;
    browser.show();
  };
  if (open) onFirstFrame(browser, reveal);
  const load = (address: string) => {
    // `loadURL` rejects if another URL is requested while this one is loading. The window then loads the new URL.
    browser.loadURL(address).catch(() => undefined);
  };
  load(pageAddress(place));

  return {
    browser,
    /** Brings the window to the front. `place`: the URL fragment to show, such as `#/sign-ins?id=...`. */
    show: (place?: string): void => {
      if (browser.isDestroyed()) return;
      // Loading the current URL again would reload the page, and the owner would lose unsaved text.
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
    /** Hides the window and saves its position and size. */
    putAway: (): void => {
      if (browser.isDestroyed()) return;
      // A window that is hidden already sends no event.
      if (browser.isVisible()) browser.hide();
      else remember();
    },
  };
}

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
