import { app, dialog } from 'electron';
import { join } from 'node:path';
import type { OwnerApi } from '../contract/contract.ts';
import { signInPlace } from './addresses.ts';
import { serveApp } from './app-protocol.ts';
import { setApplicationMenu } from './application-menu.ts';
import { failureWords } from './failure-words.ts';
import { connectWindow } from './ipc.ts';
import { startMentionNotices } from './mention-notices.ts';
import { startNotifications } from './notification.ts';
import { startPrompts } from './prompt.ts';
import { startTray } from './tray.ts';
import { createWindow } from './window.ts';

/** What the owner sees: the window, the tray, the prompts. */
export interface Desktop {
  readonly show: () => void;
  readonly close: () => void;
}

/** Opens all of it on the owner's API. `open`: show the window at once. */
export async function openDesktop(owner: OwnerApi, open: boolean): Promise<Desktop> {
  const root = app.getAppPath();
  const resources = join(root, 'resources');
  setApplicationMenu();
  serveApp(join(root, 'out', 'renderer'));
  const window = createWindow(
    { preload: join(root, 'out', 'main', 'preload.cjs'), icon: join(resources, 'icon.png') },
    open,
  );
  const review = (id: string) => window.show(signInPlace(id));
  const failed = (error: unknown) => {
    const { detail } = failureWords(error);
    void dialog.showMessageBox({ type: 'error', title: 'Porchlight', message: 'That did not work', detail });
  };
  const disconnect = connectWindow(window.browser, owner);
  const endPrompts = startPrompts({
    owner,
    showMessageBox: (options) => dialog.showMessageBox(options),
    review,
    failed,
  });
  const endNotifications = startNotifications(owner, review);
  const endNotices = startMentionNotices(owner, () => window.show('#/webmentions'));
  const removeTray = await startTray(
    owner,
    resources,
    { open: () => window.show(), signIns: () => window.show('#/sign-ins'), quit: () => app.quit() },
    failed,
  );
  return {
    show: () => window.show(),
    close: () => {
      endPrompts();
      endNotifications();
      endNotices();
      removeTray();
      window.putAway();
      disconnect();
    },
  };
}
