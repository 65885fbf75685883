import { join } from 'node:path';
import { Menu, nativeImage, Tray, type NativeImage } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import { heldCount, heldQuestion } from '../contract/held-mentions.ts';
import type { Status } from '../contract/status.ts';
import { ask } from '../app/ask.ts';
import { trayMenu, trayTip, type TrayActions, type TrayState } from './tray-menu.ts';

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
