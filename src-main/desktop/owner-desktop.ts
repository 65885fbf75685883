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
import type { OwnerApi } from '../contract/contract.ts';
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
import type { WindowFiles } from './page-window.ts';
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
  setAboutPanel(icon);
  serveApp(join(root, 'out', 'renderer'));
  const files = { preload: join(root, 'out', 'main', 'preload.cjs'), icon };
  const { window, writer, ...windows } = openWindows(owner, { ...options, files, resources });
  write = writer.open;
  if (options.open) window.show();
  onNotificationsFailed(() => service.report(noNotifications));
  const prompts = openPrompts(owner, window, icon);
  const tray = await startTray({
    owner,
    resources,
    actions: {
      copyAddress: () => {
        ask(owner, 'status.get', {}).then(({ baseUrl }) => clipboard.writeText(baseUrl), showFailure);
      },
      open: () => window.show(),
      write: writer.open,
      signIns: () => window.show('#/sign-ins'),
      heldMentions: () => window.show('#/webmentions?status=held'),
      quit: () => app.quit(),
    },
    showTest: () => window.show('#/setup'),
    failed: showFailure,
  });
  refreshTray = tray.refresh;
  const endShortcut = await shortcut.start(() => log.warn('the system refused the shortcut of the editor'));
  const sandbox = sandboxProblem();
  if (sandbox) service.report(sandbox);
  const ends = [
    ...prompts,
    ...openNotices(owner, window),
    ...followPower(service),
    // The demo doesn't check for updates, because it must not connect to any server.
    ...(options.demo ? [] : [startUpdates(log)]),
    tray.remove,
    () => window.putAway(),
    endShortcut,
    writer.close,
    ...windows.ends,
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

type MainWindow = ReturnType<typeof createWindow>;

/** Ends something that the desktop has started. */
type End = () => void;

/** Tells the owner that something failed. */
function showFailure(error: unknown): void {
  const { detail } = failureWords(error);
  void showMessageBox({ type: 'error', title: 'Porchlight', message: 'That didn’t work', detail });
}

/** Prepares the window and the editor's window, with what their pages need: the menu, spell checking and the badge. */
function openWindows(
  owner: OwnerApi,
  {
    log,
    place,
    files,
    resources,
  }: DesktopOptions & { readonly files: WindowFiles; readonly resources: string },
) {
  const state = keepWindowState(join(app.getPath('userData'), 'window.json'));
  const spelling = startSpelling({
    session: session.defaultSession,
    isEnabled: state.now().spelling,
    ask: async (box) => (await showMessageBox(box)).response,
    chosen: (on) => state.change({ spelling: on }),
  });
  const windows = connectWindows(withoutConfirming(owner));
  const connect = (browser: BrowserWindow, rest: () => void) => {
    windows.connect(browser, rest);
    rescueWindow(browser, (problem) => log.error(problem));
  };
  const badge = startBadge(owner, resources);
  const window = createWindow(files, state, place, (browser, rest) => {
    connect(browser, rest);
    badge.follow(browser);
    explainClosing(browser, hasTrayHost, join(app.getPath('userData'), 'closing-was-explained'));
  });
  giveBoxesWindow(window.parent);
  const writer = createWriteWindow(files, () => state.now().zoom, connect);
  const showMenu = () =>
    setApplicationMenu(spelling.isOn(), {
      show: (at) => window.show(at),
      write: writer.open,
      zoom: (change) => window.zoom(change),
      find: () => window.find(),
      checkSpelling: (on) => {
        // Clicking the menu item toggles its checkbox even if the change then fails. Setting the menu again shows the
        // actual setting.
        spelling.turn(on).catch(showFailure).finally(showMenu);
      },
    });
  showMenu();
  return { window, writer, ends: [badge.end, windows.disconnect] };
}

/** Asks the owner about sign-ins and phones in native dialogs. */
function openPrompts(owner: OwnerApi, window: MainWindow, icon: string): End[] {
  const review = (id: string) => window.show(signInPlace(id));
  // Windows shows the picture of a message box in its own size.
  const boxIcon = nativeImage.createFromPath(icon).resize({ width: 64, quality: 'best' });
  const lock = watchScreenLock(powerMonitor);
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
    failed: showFailure,
  });
  return [
    endPrompts,
    startPhonePrompts({ owner, showMessageBox, icon: boxIcon, failed: showFailure }),
    startNotifications(owner, review, showFailure),
    lock.close,
  ];
}

/** Shows the notifications that need no answer. */
function openNotices(owner: OwnerApi, window: MainWindow): End[] {
  const show = (place: string) => window.show(place);
  return [
    startPhoneNotice(owner, () => show('#/sign-ins')),
    startMentionNotices(owner, show),
    startMailboxNotice(owner, show),
    startTunnelNotice(owner, show),
  ];
}

/** Tells the service when the computer sleeps, wakes or joins another network. */
function followPower(service: Service): End[] {
  const wake = () => service.wake();
  const sleep = () => void service.sleep().catch(showFailure);
  powerMonitor.on('resume', wake);
  powerMonitor.on('suspend', sleep);
  return [watchNetwork(wake), () => powerMonitor.off('resume', wake).off('suspend', sleep)];
}
