import { join } from 'node:path';
import { app, nativeImage, type BrowserWindow } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import { ask } from '../app/ask.ts';
import { waitingWords } from './tray-menu.ts';

/**
 * Shows that sign-ins are waiting. On macOS and some Linux desktops, shows their number on the app's icon in the dock.
 * On Windows, shows a dot on the taskbar button. Returns a function that removes the badge and stops updating it.
 */
export function startBadge(owner: OwnerApi, window: BrowserWindow, resources: string): () => void {
  const dot = nativeImage.createFromPath(join(resources, 'badge.png'));
  const show = (count: number) => {
    if (process.platform !== 'win32') app.setBadgeCount(count);
    else if (!window.isDestroyed()) window.setOverlayIcon(count > 0 ? dot : null, waitingWords(count));
  };
  ask(owner, 'status.get', {}).then(
    ({ waiting }) => show(waiting),
    // If the number can't be read, no badge appears until the number changes.
    () => undefined,
  );
  const unsubscribe = owner.subscribe((event) => {
    if (event.name === 'status.changed') show(event.data.waiting);
  });
  return () => {
    unsubscribe();
    show(0);
  };
}
