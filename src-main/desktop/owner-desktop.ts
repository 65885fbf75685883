import {
  app,
  type BrowserWindow,
  clipboard,
  globalShortcut,
  nativeImage,
  powerMonitor,
  session,
} from 'electron';
import { join } from 'node:path';
import { ask } from '../app/ask.ts';
import type { Log } from '../platform/log.ts';
import type { Service } from '../app/service.ts';
import { signInPlace } from './addresses.ts';
import { serveApp } from './app-protocol.ts';
import { setAboutPanel, setApplicationMenu } from './menus.ts';
import { explainClosing, startBadge, startTray } from './tray.ts';
import { failureWords } from './dialog-words.ts';
import { connectWindows } from './ipc.ts';
import { loginItem, noItem } from './login-item.ts';
import { giveBoxesWindow, showMessageBox } from './message-box.ts';
import {
  startMailboxNotice,
  startMentionNotices,
  onNotificationsFailed,
  startPhoneNotice,
  startNotifications,
  startTunnelNotice,
  notifyApproved,
} from './notification.ts';
import { watchNetwork, watchScreenLock } from './system-watch.ts';
import { startPhonePrompts, withoutConfirming } from './phone-prompt.ts';
import { startPrompts } from './prompt.ts';
import { noNotifications, sandboxProblem } from './system-problems.ts';
import { startSpelling } from './spelling.ts';
import { followSystem, withStartAtLogin } from './start-at-login.ts';
import { withTokenNews } from './token-news.ts';
import { hasTrayHost } from './tray-menu.ts';
import { startUpdates } from './updates.ts';
import { rescueWindow } from './crashes.ts';
import { keepWindowState } from './window-state.ts';
import { createWindow, createWriteWindow } from './window.ts';
import { keepWriteShortcut } from './write-shortcut.ts';

export type Desktop = Awaited<ReturnType<typeof openDesktop>>;

interface DesktopOptions {
  /** Whether to show the window immediately. */
  readonly open: boolean;
  /** The URL fragment at which the window starts. */
  readonly place: string | undefined;
  /** The data folder that the command line names, if any. */
  readonly dataDir: string | undefined;
  readonly demo: boolean;
  readonly log: Log;
}

/** Opens the owner's interface: the window, the tray icon, the prompts and the notifications. */
export async function openDesktop(service: Service, options: DesktopOptions) {
  const { log } = options;
  const root = app.getAppPath();
  const resources = join(root, 'resources');
  // The demo's folder is deleted when the demo ends, so it no longer exists at the next login.
  const item = options.demo ? noItem('The demo can’t start at login.') : loginItem(options.dataDir);
  let refreshTray = (): void => undefined; // Does nothing until the tray exists.
  let write = (): void => undefined; // Does nothing until the editor can be opened.
  const shortcut = keepWriteShortcut(withStartAtLogin(service.owner, item), globalShortcut, () => write());
  const owner = withTokenNews(shortcut.owner, () => refreshTray());
  // If the login item can't be read from the system, the start-at-login setting stays unchanged.
  await followSystem(service.owner, item).catch((error: unknown) =>
    log.warn({ err: error }, 'the login item could not be read'),
  );
  const icon = join(resources, 'icon.png');
  const state = keepWindowState(join(app.getPath('userData'), 'window.json'));
  const spelling = startSpelling({
    session: session.defaultSession,
    isEnabled: state.now().spelling,
    ask: async (box) => (await showMessageBox(box)).response,
    chosen: (on) => state.change({ spelling: on }),
  });
  setAboutPanel(icon);
  serveApp(join(root, 'out', 'renderer'));
  const files = { preload: join(root, 'out', 'main', 'preload.cjs'), icon };
  const windows = connectWindows(withoutConfirming(owner));
  const connect = (browser: BrowserWindow, rest: () => void) => {
    windows.connect(browser, rest);
    rescueWindow(browser, (problem) => log.error(problem));
  };
  const badge = startBadge(owner, resources);
  const window = createWindow({
    files,
    state,
    place: options.place,
    connect(browser, rest) {
      connect(browser, rest);
      badge.follow(browser);
      explainClosing(browser, hasTrayHost, join(app.getPath('userData'), 'closing-was-explained'));
    },
  });
  giveBoxesWindow(window.parent);
  const writer = createWriteWindow({ files, zoom: () => state.now().zoom, connect });
  write = writer.open;
  if (options.open) window.show();
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
        // Clicking the menu item toggles its checkbox even if the change then fails. Setting the menu again shows the
        // actual setting.
        spelling.turn(on).catch(failed).finally(showMenu);
      },
    });
  showMenu();
  const lock = watchScreenLock(powerMonitor);
  // Windows shows the picture of a message box in its own size.
  const boxIcon = nativeImage.createFromPath(icon).resize({ width: 64, quality: 'best' });
  const endPrompts = startPrompts({
    owner,
    showMessageBox,
    icon: boxIcon,
    unlocked: lock.unlocked,
    review,
    approved: (signIn) => {
      // Errors are ignored: the window and the activity list also show the approval.
      notifyApproved(owner, signIn, () => window.show('#/apps')).catch(() => undefined);
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
  const sleep = () => void service.sleep().catch(failed);
  powerMonitor.on('suspend', sleep);
  onNotificationsFailed(() => service.report(noNotifications));
  const sandbox = sandboxProblem();
  if (sandbox) service.report(sandbox);
  const ends = [
    endPrompts,
    startPhoneNotice(owner, () => window.show('#/sign-ins')),
    startPhonePrompts({ owner, showMessageBox, icon: boxIcon, failed }),
    startNotifications({ owner, review, failed }),
    startMentionNotices(owner, (place) => window.show(place)),
    badge.end,
    watchNetwork(wake),
    () => powerMonitor.off('resume', wake).off('suspend', sleep),
    startMailboxNotice(owner, (place) => window.show(place)),
    startTunnelNotice(owner, (place) => window.show(place)),
    // The demo doesn't check for updates, because it must not connect to any server.
    ...(options.demo ? [] : [startUpdates(log)]),
    lock.close,
    tray.remove,
    () => window.putAway(),
    endShortcut,
    writer.close,
    windows.disconnect,
  ];
  return {
    /** Brings the window to the front. `place`: the URL fragment to show, such as `#/setup`. */
    show: (place?: string) => window.show(place),
    close: () => {
      // If one part fails to stop, the other parts and the service must still stop.
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
