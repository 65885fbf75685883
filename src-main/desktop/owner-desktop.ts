import { app, clipboard, powerMonitor } from 'electron';
import { join } from 'node:path';
import { ask } from '../owner/ask.ts';
import type { Log } from '../platform/log.ts';
import type { Service } from '../service.ts';
import { signInPlace } from './addresses.ts';
import { serveApp } from './app-protocol.ts';
import { setApplicationMenu } from './application-menu.ts';
import { watchAwake } from './awake.ts';
import { startBadge } from './badge.ts';
import { failureWords } from './failure-words.ts';
import { connectWindow } from './ipc.ts';
import { loginItem } from './login-item.ts';
import { showMessageBox } from './message-box.ts';
import { startMentionNotices } from './mention-notices.ts';
import { startNotifications, tellApproved } from './notification.ts';
import { startPrompts } from './prompt.ts';
import { watchScreenLock } from './screen-lock.ts';
import { followSystem, withStartAtLogin } from './start-at-login.ts';
import { withTokenNews } from './token-news.ts';
import { hasTrayHost } from './tray-host.ts';
import { startTray } from './tray.ts';
import { explainClosing } from './trayless.ts';
import { startUpdates } from './updates.ts';
import { rescueWindow } from './window-rescue.ts';
import { createWindow } from './window.ts';

/** What the owner sees: the window, the tray, the prompts. */
export interface Desktop {
  /** Brings the window to the front, at a place such as `#/setup` where one is given. */
  readonly show: (place?: string) => void;
  readonly close: () => void;
}

export interface DesktopOptions {
  /** Show the window at once. */
  readonly open: boolean;
  /** Where in the window to begin. */
  readonly place: string | undefined;
  /** The data folder, where it was given on the command line. */
  readonly dataDir: string | undefined;
  readonly log: Log;
}

/** Opens all of it on the service. */
export async function openDesktop(service: Service, options: DesktopOptions): Promise<Desktop> {
  const { log } = options;
  const root = app.getAppPath();
  const resources = join(root, 'resources');
  const item = loginItem(options.dataDir);
  let refreshTray = (): void => undefined; // the window is there before the tray
  const owner = withTokenNews(withStartAtLogin(service.owner, item), () => refreshTray());
  // Where the system does not tell, the setting stays as it is.
  await followSystem(service.owner, item).catch((error: unknown) =>
    log.warn({ err: error }, 'the login item could not be read'),
  );
  setApplicationMenu();
  serveApp(join(root, 'out', 'renderer'));
  const window = createWindow(
    { preload: join(root, 'out', 'main', 'preload.cjs'), icon: join(resources, 'icon.png') },
    options,
  );
  // At once: the page asks as soon as it is there.
  const disconnectWindow = connectWindow(window.browser, owner);
  rescueWindow(window.browser, (problem) => log.error(problem));
  explainClosing(window.browser, hasTrayHost, join(app.getPath('userData'), 'closing-was-explained'));
  const review = (id: string) => window.show(signInPlace(id));
  const failed = (error: unknown) => {
    const { detail } = failureWords(error);
    void showMessageBox({ type: 'error', title: 'Porchlight', message: 'That didn’t work', detail });
  };
  const lock = watchScreenLock(powerMonitor);
  const endPrompts = startPrompts({
    owner,
    showMessageBox,
    unlocked: lock.unlocked,
    review,
    approved: (signIn) => {
      tellApproved(owner, signIn).catch(() => undefined); // the window and the activity say it all the same
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
      signIns: () => window.show('#/sign-ins'),
      heldMentions: () => window.show('#/webmentions?status=held'),
      quit: () => app.quit(),
    },
    showTest: () => window.show('#/setup'),
    failed,
  });
  refreshTray = tray.refresh;
  const ends = [
    endPrompts,
    startNotifications({ owner, review, failed }),
    startMentionNotices(owner, () => window.show('#/webmentions')),
    startBadge(owner, window.browser, resources),
    watchAwake(() => service.wake()),
    startUpdates(log),
    lock.close,
    tray.remove,
    () => window.putAway(),
    disconnectWindow,
  ];
  return {
    show: (place) => window.show(place),
    close: () => {
      // One that fails must not keep the others, and the service behind them, from ending.
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
