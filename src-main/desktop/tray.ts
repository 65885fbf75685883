import { join } from 'node:path';
import { Menu, nativeImage, Tray, type NativeImage } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { Status } from '../contract/status.ts';
import { ask } from '../owner/ask.ts';
import { trayMenu, trayTip, type TrayActions } from './tray-menu.ts';

/** Puts the light in the tray and keeps its image and menu as the status is. Returns the function that removes it. */
export async function startTray(
  owner: OwnerApi,
  resources: string,
  actions: Pick<TrayActions, 'open' | 'signIns' | 'quit'>,
  failed: (error: unknown) => void,
): Promise<() => void> {
  const images = trayImages(resources);
  const turn = (method: 'server.turnOn' | 'server.turnOff') => () => {
    ask(owner, method, {}).then(show, failed);
  };
  const all: TrayActions = { ...actions, turnOn: turn('server.turnOn'), turnOff: turn('server.turnOff') };
  const status = await ask(owner, 'status.get', {});
  const tray = new Tray(images[status.server]);

  function show(now: Status): void {
    if (tray.isDestroyed()) return;
    tray.setImage(images[now.server]);
    tray.setToolTip(trayTip(now));
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(now, all)));
  }

  show(status);
  const unsubscribe = owner.subscribe((event) => {
    if (event.name === 'status.changed') show(event.data);
  });
  return () => {
    unsubscribe();
    tray.destroy();
  };
}

// macOS colours a template image itself, as the menu bar is; elsewhere the image brings its colours.
function trayImages(resources: string): Record<Status['server'], NativeImage> {
  const suffix = process.platform === 'darwin' ? 'Template' : '';
  const image = (state: Status['server']) =>
    nativeImage.createFromPath(join(resources, `tray-${state}${suffix}.png`));
  return { on: image('on'), off: image('off'), trouble: image('trouble') };
}
