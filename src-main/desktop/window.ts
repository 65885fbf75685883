import { BrowserWindow, screen } from 'electron';
import type { WindowSignal } from '../contract/window.ts';
import { pageAddress, smallPageAddress } from './addresses.ts';
import { signalChannel } from './channels.ts';
import { onFirstFrame } from './first-frame.ts';
import { offerContextMenu } from './menus.ts';
import {
  askAtRest,
  followAccent,
  hideOnClose,
  isHidden,
  pageWindowOptions,
  type WindowFiles,
} from './page-window.ts';
import { type KeptWindowState, smallestSize, startBounds, zoomPage } from './window-state.ts';

/** Connects a new window to the rest of the app. `rest`: called when the window's page agrees that it may be closed. */
type Connect = (browser: BrowserWindow, rest: () => void) => void;

/**
 * Returns the functions of the owner's window. The window is created when it is first shown. Closing it only hides it,
 * and after a while without unsaved changes, it is closed until the owner needs it again. `firstPlace`: the URL fragment
 * that the window shows first.
 */
export function createWindow(
  files: WindowFiles,
  state: KeptWindowState,
  firstPlace: string | undefined,
  connect: Connect,
) {
  let zoom: ReturnType<typeof zoomPage> = () => undefined;
  let reveal = (): void => undefined;
  let remember = (): void => undefined;
  const signal = (message: WindowSignal) => window.now()?.webContents.send(signalChannel, message);

  function create(): BrowserWindow {
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
    remember = () =>
      state.change({
        bounds: browser.getNormalBounds(),
        maximized: isFirst ? maximized : browser.isMaximized(),
      });
    reveal = () => {
      // Maximizing also shows a window. A window is therefore maximized only when it is first shown.
      if (isFirst && maximized) browser.maximize();
      isFirst = false;
      browser.show();
    };
    zoom = zoomPage(browser.webContents, startZoom, (factor) => {
      state.change({ zoom: factor });
      signal({ name: 'zoom', percent: Math.round(factor * 100) });
    });
    browser.on('hide', remember);
    return browser;
  }

  const window = keepWindow({
    create,
    connect,
    address: pageAddress(firstPlace),
    closing: () => remember(),
  });

  /** Brings the window to the front. `place`: the URL fragment to show, such as `#/sign-ins?id=...`. */
  function show(place?: string): void {
    const browser = window.now();
    const address = place === undefined ? undefined : pageAddress(place);
    if (!browser) {
      const created = window.open(address);
      if (created) onFirstFrame(created, () => reveal());
      return;
    }
    // Loading the current URL again would reload the page, and the owner would lose unsaved text.
    if (address !== undefined && browser.webContents.getURL() !== address) load(browser, address);
    if (browser.isMinimized()) browser.restore();
    reveal();
    browser.focus();
  }

  return {
    show,
    /** Returns the window for a dialog of the system. Creates it if there is none. */
    parent: () => window.now() ?? window.open(),
    /** Opens the page's find bar. */
    find: (): void => {
      show();
      // A page that is still loading misses it.
      signal({ name: 'find' });
    },
    zoom: (change: Parameters<typeof zoom>[0]): void => {
      if (window.now()) zoom(change);
    },
    /** Hides the window and saves its position and size. */
    putAway: (): void => {
      const browser = window.now();
      // A window that is hidden already sends no event.
      if (browser?.isVisible()) browser.hide();
      else if (browser) remember();
    },
  };
}

const size = { width: 520, height: 640, minWidth: 360, minHeight: 400 };

/**
 * Returns functions that open and close the small editor window, which is created and closed as the owner's window.
 * `zoom`: returns the zoom factor that the owner chose. Chromium keeps one zoom factor for all windows of an origin.
 */
export function createWriteWindow(files: WindowFiles, zoom: () => number, connect: Connect) {
  const editor = smallPageAddress('#/write');
  /** Returns whether a URL shows the editor in the small window. */
  const isEditor = (url: string) => url.startsWith(editor);
  const window = keepWindow({
    create: () => new BrowserWindow({ ...pageWindowOptions(files, zoom()), ...size }),
    connect,
    address: editor,
  });
  return {
    /** Brings the window to the front. Loads the editor unless the window already shows it. */
    open: (): void => {
      const browser = window.now();
      if (!browser) {
        const created = window.open(isEditor(window.address()) ? undefined : editor);
        if (created) onFirstFrame(created, () => created.show());
        return;
      }
      if (!isEditor(browser.webContents.getURL())) load(browser, editor);
      if (browser.isMinimized()) browser.restore();
      browser.show();
      browser.focus();
    },
    close: (): void => window.now()?.destroy(),
  };
}

interface KeptWindow {
  /** Creates the window, hidden and without a page. */
  readonly create: () => BrowserWindow;
  readonly connect: Connect;
  /** The URL of the first page. */
  readonly address: string;
  /** Called before an update closes the window. */
  readonly closing?: () => void;
}

/**
 * Keeps a window that exists only while the owner needs it. Closing it hides it. After it was hidden for ten minutes, its
 * page is asked whether it has unsaved changes. If it has none, the window is closed, which frees its memory. The next
 * window opens at the URL of the one before.
 */
function keepWindow({ create, connect, address: first, closing = () => undefined }: KeptWindow) {
  let browser: BrowserWindow | undefined;
  let address = first;
  // An update closes windows for good.
  let isOver = false;
  return {
    /** Returns the window, if there is one. */
    now: () => (browser?.isDestroyed() === false ? browser : undefined),
    /** Returns the URL at which the next window opens. */
    address: () => address,
    /** Creates the window, hidden, and loads its page. Returns undefined if the app is about to end. */
    open(at = address): BrowserWindow | undefined {
      if (isOver) return undefined;
      const created = create();
      let isResting = false;
      const rest = () => {
        // The owner may have opened the window since its page was asked.
        if (created.isDestroyed() || !isHidden(created)) return;
        address = created.webContents.getURL();
        isResting = true;
        created.destroy();
      };
      created.once('closed', () => {
        browser = undefined;
        isOver = !isResting;
      });
      const hidden = askAtRest(created, () => created.webContents.send(signalChannel, { name: 'rest' }));
      hideOnClose(created, { closing, hidden });
      offerContextMenu(created);
      followAccent(created.webContents);
      // Connect the window before its page loads, because the page makes calls at once.
      connect(created, rest);
      load(created, at);
      browser = created;
      return created;
    },
  };
}

function load(browser: BrowserWindow, address: string): void {
  // `loadURL` rejects if another URL is requested while this one is loading. The window then loads the new URL.
  browser.loadURL(address).catch(() => undefined);
}
