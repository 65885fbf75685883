import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, type BrowserWindow, Menu, nativeImage, type NativeImage, Tray } from 'electron';
import { ask } from '../app/ask.ts';
import type { OwnerApi } from '../contract/contract.ts';
import { heldCount, heldQuestion } from '../contract/held-mentions.ts';
import type { Status } from '../contract/status.ts';
import { showMessageBox } from './message-box.ts';
import { type TrayActions, trayMenu, type TrayState, trayTip, waitingWords } from './tray-menu.ts';

interface TrayTools {
  readonly owner: OwnerApi;
  readonly resources: string;
  readonly actions: Pick<TrayActions, 'copyAddress' | 'open' | 'write' | 'signIns' | 'heldMentions' | 'quit'>;
  /** Opens the window at the self-test's result. */
  readonly showTest: () => void;
  /** Tells the owner that an action failed. */
  readonly failed: (error: unknown) => void;
}

/** The delay (in ms) before new mentions are counted. Mentions often arrive together, so one count covers them all. */
const countingRest = 1000;

/** Shows the icon in the tray and keeps its image and menu up to date. */
export async function startTray(tools: TrayTools) {
  const { owner, failed } = tools;
  const images = trayImages(tools.resources);
  const [status, settings] = await Promise.all([
    ask(owner, 'status.get', {}),
    ask(owner, 'settings.get', {}),
  ]);
  let state: TrayState = {
    status,
    held: '',
    canImport: false,
    importing: null,
    testing: false,
    startAtLogin: settings.desktop.startAtLogin,
  };
  const tray = new Tray(images[status.server]);
  // A left click opens the menu on macOS, and on most Linux desktops. On Windows, it would do nothing.
  if (process.platform === 'win32') tray.on('click', tools.actions.open);

  function show(change: Partial<TrayState>): void {
    if (tray.isDestroyed()) return;
    state = { ...state, ...change };
    tray.setImage(images[state.status.server]);
    tray.setToolTip(trayTip(state.status));
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(state, actions)));
  }
  const turn = (method: 'server.turnOn' | 'server.turnOff') => () => {
    ask(owner, method, {}).then((now) => show({ status: now }), failed);
  };
  const selfTest = () => {
    show({ testing: true });
    ask(owner, 'setup.check', {})
      .then(tools.showTest, failed)
      .finally(() => show({ testing: false }));
  };
  const actions: TrayActions = {
    ...tools.actions,
    turnOn: turn('server.turnOn'),
    turnOff: turn('server.turnOff'),
    selfTest,
    importNow: () => void ask(owner, 'webmentions.import', {}).catch(failed),
    startAtLogin: (on) => {
      ask(owner, 'settings.update', { desktop: { startAtLogin: on } })
        .catch(failed)
        // Clicking the menu item toggles its checkbox even if the change then fails. Setting the menu again shows the
        // actual setting.
        .finally(() => show({}));
    },
  };

  async function countHeld(): Promise<void> {
    show({ held: heldCount(await ask(owner, 'webmentions.list', heldQuestion)) });
  }
  let counting: NodeJS.Timeout | undefined;
  function countSoon(): void {
    counting ??= setTimeout(() => {
      counting = undefined;
      countHeld().catch(() => undefined); // Ignored, because the next event about mentions triggers another count.
    }, countingRest);
  }

  /** Checks again whether an import is possible, because no event reports a change. Reads the keychain. */
  function refresh(): void {
    ask(owner, 'webmentions.importState', {}).then(
      ({ tokenStored, progress }) => show({ canImport: tokenStored, importing: progress }),
      // If this check fails, the menu stays unchanged until the next refresh.
      () => undefined,
    );
  }

  show({});
  countSoon();
  // Not awaited, because `refresh` reads the keychain, which may be locked or not respond.
  refresh();
  const unsubscribe = owner.subscribe(({ name, data }) => {
    if (name === 'status.changed') show({ status: data });
    if (name === 'settings.changed') show({ startAtLogin: data.desktop.startAtLogin });
    if (name === 'import.progress') show({ importing: data });
    if (/^(?:webmention\.|import\.)/.test(name)) countSoon();
  });
  return {
    refresh,
    remove: () => {
      unsubscribe();
      clearTimeout(counting);
      tray.destroy();
    },
  };
}

// macOS colors a template image to match the menu bar; other systems show the image's own colors.
function trayImages(resources: string): Record<Status['server'], NativeImage> {
  const suffix = process.platform === 'darwin' ? 'Template' : '';
  const image = (state: Status['server']) =>
    nativeImage.createFromPath(join(resources, `tray-${state}${suffix}.png`));
  return { on: image('on'), off: image('off'), trouble: image('trouble') };
}

/**
 * Shows that sign-ins are waiting. On macOS and some Linux desktops, shows their number on the app's icon in the dock.
 * On Windows, shows a dot on the taskbar button of each window that `follow` gets. `end` removes the badge.
 */
export function startBadge(owner: OwnerApi, resources: string) {
  const dot = nativeImage.createFromPath(join(resources, 'badge.png'));
  const windows = new Set<BrowserWindow>();
  let count = 0;
  const mark = (window: BrowserWindow) => window.setOverlayIcon(count > 0 ? dot : null, waitingWords(count));
  const show = (waiting: number) => {
    count = waiting;
    if (process.platform !== 'win32') app.setBadgeCount(count);
    else windows.forEach(mark);
  };
  ask(owner, 'status.get', {}).then(
    ({ waiting }) => show(waiting),
    // If the number can't be read, no badge appears until the number changes.
    () => undefined,
  );
  const unsubscribe = owner.subscribe((event) => {
    if (event.name === 'status.changed') show(event.data.waiting);
  });
  return {
    follow: (window: BrowserWindow): void => {
      windows.add(window);
      window.once('closed', () => windows.delete(window));
      if (process.platform === 'win32') window.on('show', () => mark(window));
    },
    end: (): void => {
      unsubscribe();
      show(0);
    },
  };
}

/**
 * Explains, on a desktop without a tray, that the server keeps running after the window closes, and offers to quit.
 * Stops explaining this once the owner has chosen to keep the server running. `explainedFile`: the file that records
 * this choice.
 */
export function explainClosing(
  window: BrowserWindow,
  hasTray: () => Promise<boolean>,
  explainedFile: string,
): void {
  let asking = false;
  const explain = async () => {
    if (asking || existsSync(explainedFile)) return;
    asking = true;
    try {
      if (!(await hasTray())) await askWhatNow(explainedFile);
    } finally {
      asking = false;
    }
  };
  window.on('close', () => void explain());
}

async function askWhatNow(explainedFile: string): Promise<void> {
  const { response } = await showMessageBox({
    type: 'question',
    title: 'Porchlight',
    message: 'Keep Porchlight running?',
    detail: [
      'This desktop cannot show Porchlight’s icon, so you won’t see Porchlight while its window is closed.',
      'While it runs, apps can still sign in with your domain and post. To open the window again, start Porchlight ' +
        'again. To quit, press Ctrl+Q in the window.',
    ].join('\n\n'),
    buttons: ['Keep it running', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 1) {
    app.quit();
    return;
  }
  try {
    writeFileSync(explainedFile, '');
  } catch {
    // If the file can't be written, the explanation appears again next time.
  }
}
