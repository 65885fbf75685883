import { app, clipboard, globalShortcut, powerMonitor, session } from 'electron';
import { join } from 'node:path';
import { ask } from '../owner/ask.ts';
import type { Log } from '../platform/log.ts';
import type { Service } from '../service/service.ts';
import { signInPlace } from './addresses.ts';
import { serveApp } from './app-protocol.ts';
import { setAboutPanel, setApplicationMenu } from './application-menu.ts';
import { startBadge } from './badge.ts';
import { failureWords } from './failure-words.ts';
import { connectWindows } from './ipc.ts';
import { loginItem, noItem } from './login-item.ts';
import { showMessageBox } from './message-box.ts';
import { startMentionNotices } from './mention-notices.ts';
import { watchNetwork } from './network.ts';
import { startNotifications, tellApproved } from './notification.ts';
import { startPrompts } from './prompt.ts';
import { watchScreenLock } from './screen-lock.ts';
import { startSpelling } from './spelling.ts';
import { followSystem, withStartAtLogin } from './start-at-login.ts';
import { withTokenNews } from './token-news.ts';
import { hasTrayHost } from './tray-host.ts';
import { startTray } from './tray.ts';
import { explainClosing } from './trayless.ts';
import { startUpdates } from './updates.ts';
import { rescueWindow } from './window-rescue.ts';
import { keepWindowState } from './window-state.ts';
import { createWindow } from './window.ts';
import { keepWriteShortcut } from './write-shortcut.ts';
import { createWriteWindow } from './write-window.ts';

export type Desktop = Awaited<ReturnType<typeof openDesktop>>;

interface DesktopOptions {
  /** Whether to show the window at once. */
  readonly open: boolean;
  /** The place in the window to start at. */
  readonly place: string | undefined;
  /** The data folder, if the command line names one. */
  readonly dataDir: string | undefined;
  readonly demo: boolean;
  readonly log: Log;
}

/** Opens the owner's side of the app: the window, the tray and the prompts. */
export async function openDesktop(service: Service, options: DesktopOptions) {
  const { log } = options;
  const root = app.getAppPath();
  const resources = join(root, 'resources');
  // The demo's folder no longer exists at the next login.
  const item = options.demo ? noItem('The demo can’t start at login.') : loginItem(options.dataDir);
  let refreshTray = (): void => undefined; // the window exists before the tray does
  let write = (): void => undefined; // the API exists before the window does
  const shortcut = keepWriteShortcut(withStartAtLogin(service.owner, item), globalShortcut, () => write());
  const owner = withTokenNews(shortcut.owner, () => refreshTray());
  // If the system's state can't be read, the start-at-login setting stays as it is.
  await followSystem(service.owner, item).catch((error: unknown) =>
    log.warn({ err: error }, 'the login item could not be read'),
  );
  const icon = join(resources, 'icon.png');
  const state = keepWindowState(join(app.getPath('userData'), 'window.json'));
  const spelling = startSpelling({
    session: session.defaultSession,
    wanted: state.now().spelling,
    ask: async (box) => (await showMessageBox(box)).response,
    chosen: (on) => state.change({ spelling: on }),
  });
  setAboutPanel(icon);
  serveApp(join(root, 'out', 'renderer'));
  const files = { preload: join(root, 'out', 'main', 'preload.cjs'), icon };
  const window = createWindow(files, state, options);
  // Connected at once, because the page makes calls as soon as it loads.
  const windows = connectWindows(owner);
  windows.connect(window.browser);
  const reportGone = (problem: string) => log.error(problem);
  const writer = createWriteWindow({
    files,
    zoom: () => state.now().zoom,
    connect(browser) {
      windows.connect(browser);
      rescueWindow(browser, reportGone);
    },
  });
  write = writer.open;
  rescueWindow(window.browser, reportGone);
  explainClosing(window.browser, hasTrayHost, join(app.getPath('userData'), 'closing-was-explained'));
  const review = (id: string) => window.show(signInPlace(id));
  const failed = (error: unknown) => {
    const { detail } = failureWords(error);
    void showMessageBox({ type: 'error', title: 'Porchlight', message: 'That didn’t work', detail });
  };
  const showMenu = () =>
    setApplicationMenu(spelling.isOn(), {
      show: (place) => window.show(place),
      write: writer.open,
      zoom: (change) => window.zoom(change),
      find: () => window.find(),
      checkSpelling: (on) => {
        // The click has already changed the checkbox. Showing the menu again restores the actual state.
        spelling.turn(on).catch(failed).finally(showMenu);
      },
    });
  showMenu();
  const lock = watchScreenLock(powerMonitor);
  const endPrompts = startPrompts({
    owner,
    showMessageBox,
    unlocked: lock.unlocked,
    review,
    approved: (signIn) => {
      tellApproved(owner, signIn, () => window.show('#/apps')).catch(() => undefined); // the window and the activity list show it anyway
    },
    failed,
  });
  const tray = await startTray({
    owner,
    resources,
    actions: {
      copyAddress: () => {
        ask(owner, 'status.get', {}).then(({ baseUrl }) => clipboard.writeText(baseUrl), failed);
      },
      open: () => window.show(),
      write: writer.open,
      signIns: () => window.show('#/sign-ins'),
      heldMentions: () => window.show('#/webmentions?status=held'),
      quit: () => app.quit(),
    },
    showTest: () => window.show('#/setup'),
    failed,
  });
  refreshTray = tray.refresh;
  const endShortcut = await shortcut.start(() => log.warn('the system refused the shortcut of the editor'));
  const wake = () => service.wake();
  powerMonitor.on('resume', wake);
  const ends = [
    endPrompts,
    startNotifications({ owner, review, failed }),
    startMentionNotices(owner, (place) => window.show(place)),
    startBadge(owner, window.browser, resources),
    watchNetwork(wake),
    () => powerMonitor.off('resume', wake),
    // The demo connects to no server.
    ...(options.demo ? [] : [startUpdates(log)]),
    lock.close,
    tray.remove,
    () => window.putAway(),
    endShortcut,
    writer.close,
    windows.disconnect,
  ];
  return {
    /** Brings the window to the front, at a place such as `#/setup` if one is given. */
    show: (place?: string) => window.show(place),
    close: () => {
      // A failure must not keep the other parts, and the service, from stopping.
      for (const end of ends) {
        try {
          end();
        } catch (error) {
          log.error({ err: error }, 'part of the desktop could not be put away');
        }
      }
    },
  };
}
