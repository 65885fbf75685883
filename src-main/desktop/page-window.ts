import {
  app,
  autoUpdater,
  type BrowserWindow,
  type BrowserWindowConstructorOptions,
  nativeTheme,
  systemPreferences,
  type WebContents,
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
 * stops the service first and then exits (ending.ts). `closing`: called before an update closes the window. `hidden`:
 * called when the window has been hidden.
 */
export function hideOnClose(
  browser: BrowserWindow,
  { closing = () => undefined, hidden }: { closing?: () => void; hidden: () => void },
): void {
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
    hidden();
  });
}

/** The time (in ms) that a window stays hidden before its page is asked whether the window may be closed for good. */
const restMs = 10 * 60_000;

/**
 * Returns a function that starts the wait of a window that was hidden. Calls `ask` after ten minutes, and every ten
 * minutes after that, until the window is shown. A minimized window isn't hidden: the owner expects it in the taskbar.
 */
export function askAtRest(
  browser: Pick<BrowserWindow, 'on' | 'isVisible' | 'isMinimized'>,
  ask: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  browser.on('show', stop);
  browser.on('closed', stop);
  return () => {
    stop();
    timer = setInterval(() => {
      if (isHidden(browser)) ask();
    }, restMs);
  };
}

/** Returns whether the owner sees nothing of a window, not even in the taskbar. */
export function isHidden(browser: Pick<BrowserWindow, 'isVisible' | 'isMinimized'>): boolean {
  return !browser.isVisible() && !browser.isMinimized();
}

/** The background colors on which the focus ring can appear (src-renderer/ui/theme.ts). */
const surfaces = {
  light: ['#faf8f5', '#e7e2da', '#ffffff'],
  dark: ['#1c1917', '#38332e'],
} as const;

/** The minimum contrast between the focus ring and each background color on which the ring can appear. */
const leastContrast = 4.5;

/**
 * Returns CSS that gives the focus ring the system's accent color in each color scheme where that color has enough
 * contrast. In other schemes, the ring keeps the window's own color. `accent`: `rrggbb`, with or without an opacity.
 */
export function accentStyle(accent: string): string {
  const [, colour] = /^#?([\da-f]{6})(?:[\da-f]{2})?$/i.exec(accent) ?? [];
  if (colour === undefined) return '';
  return (['light', 'dark'] as const)
    .filter((scheme) => surfaces[scheme].every((each) => contrast(colour, each) >= leastContrast))
    .map((scheme) => `[data-mantine-color-scheme='${scheme}']{--porchlight-focus:#${colour.toLowerCase()}}`)
    .join('');
}

/**
 * Gives the page's focus ring the system's accent color. On Windows, also follows changes to that color. On Linux, does
 * nothing, because Linux reports no accent color.
 */
export function followAccent(contents: WebContents): void {
  if (process.platform !== 'darwin' && process.platform !== 'win32') return;
  let inserted = '';
  const apply = async () => {
    if (inserted !== '') await contents.removeInsertedCSS(inserted);
    inserted = await contents.insertCSS(accentStyle(systemPreferences.getAccentColor()));
  };
  // Errors are ignored: a page that is closing needs no style.
  const follow = () => void apply().catch(() => undefined);
  contents.on('dom-ready', () => {
    inserted = '';
    follow();
  });
  if (process.platform === 'win32') systemPreferences.on('accent-color-changed', follow);
}

/** Returns the contrast of two colors, from 1 to 21 (WCAG 2.2, contrast ratio). */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(colour.replace('#', '').slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
