import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { app, type Settings } from 'electron';
import { PorchlightError } from '../contract/error.ts';
import { autostartFile, autostartPath } from './autostart-file.ts';
import type { LoginItem } from './start-at-login.ts';
import { appImage } from './start-again.ts';

/** Returns the login item, which starts the app without a window. `dataDir`: the folder of --data. */
export function loginItem(dataDir: string | undefined, platform = process.platform): LoginItem {
  const data = dataDir === undefined ? [] : ['--data', dataDir];
  const name = dataDir === undefined ? 'porchlight' : `porchlight-${shortHash(dataDir)}`;
  if (platform === 'linux') return autostartFile(autostartPath(name), [...thisApp(), '--no-open', ...data]);
  if (platform === 'win32') {
    const item = { path: process.execPath, args: ['--no-open', ...data.map((part) => `"${part}"`)] };
    return systemItem({ ...item, name }, () =>
      // `openAtLogin` looks for an entry named after the app's model ID, but ours has a name of its own. The owner may
      // have disabled the entry in the system, which `enabled` shows.
      app.getLoginItemSettings(item).launchItems.some((each) => each.name === name && each.enabled),
    );
  }
  return dataDir === undefined
    ? systemItem({}, () => app.getLoginItemSettings().openAtLogin)
    : noItem(
        'On macOS, Porchlight can start at login only with its default data folder. This Porchlight was started with --data.',
      );
}

/** Returns whether macOS started the app at login, when no window is expected. Other systems pass --no-open. */
export function wasStartedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function systemItem(item: Pick<Settings, 'name' | 'path' | 'args'>, isOn: () => boolean): LoginItem {
  return {
    isOn: () => Promise.resolve(isOn()),
    set(on) {
      if (on && !app.isPackaged)
        return refuse(
          'Porchlight can start at login once it is installed. This copy runs from its source code.',
        );
      app.setLoginItemSettings({ ...item, openAtLogin: on });
      if (isOn() === on) return Promise.resolve();
      // If enabling failed, removes any entry that would still start the app.
      if (on) app.setLoginItemSettings({ ...item, openAtLogin: false });
      return refuse('The system refused the change. Check the login items in your system settings.');
    },
    // Nothing to renew: on macOS and Windows, an update replaces the old version in the same place.
    renew: () => Promise.resolve(),
  };
}

/** Returns the login item of an app that can't start at login. `why`: the reason, for the owner. */
export function noItem(why: string): LoginItem {
  return {
    isOn: () => Promise.resolve(false),
    set: (on) => (on ? refuse(why) : Promise.resolve()),
    renew: () => Promise.resolve(),
  };
}

function refuse(why: string): Promise<never> {
  return Promise.reject(new PorchlightError('not_supported', why));
}

/** Returns the command that starts the running app: its AppImage, its program, or the runtime with the built source. */
function thisApp(): string[] {
  if (app.isPackaged) return [appImage() ?? process.execPath];
  const root = app.getAppPath();
  const unsandboxed = app.commandLine.hasSwitch('no-sandbox') ? ['--no-sandbox'] : [];
  return [process.execPath, ...unsandboxed, '--require', join(root, 'out', 'main', 'early.cjs'), root];
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
