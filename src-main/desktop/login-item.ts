import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { app, type Settings } from 'electron';
import { PorchlightError } from '../contract/error.ts';
import { programName } from '../contract/names.ts';
import { autostartFile, autostartPath, type LoginItem } from './start-at-login.ts';
import { appImage } from './ending.ts';

/**
 * Returns the login item: the system's entry that starts the app at login, without a window. `dataDir`: the folder
 * given with --data.
 */
export function loginItem(dataDir: string | undefined, platform = process.platform): LoginItem {
  const data = dataDir === undefined ? [] : ['--data', dataDir];
  const name = dataDir === undefined ? programName : `${programName}-${shortHash(dataDir)}`;
  const store = platform === 'linux' ? storeOf(process.env) : undefined;
  if (store !== undefined)
    return noItem(
      `Porchlight runs inside ${store}, which keeps it from starting at login by itself. Add Porchlight to the startup apps in your system settings.`,
    );
  if (platform === 'linux') return autostartFile(autostartPath(name), [...thisApp(), '--no-open', ...data]);
  if (platform === 'win32') {
    const item = { path: process.execPath, args: ['--no-open', ...data.map(quotedForWindows)] };
    return systemItem({ ...item, name }, () =>
      // `openAtLogin` can't be used: it looks for an entry named after the AppUserModelID, but the app's entry has a
      // different name. `enabled` is false if the owner disabled the entry in the system.
      app.getLoginItemSettings(item).launchItems.some((each) => each.name === name && each.enabled),
    );
  }
  return dataDir === undefined
    ? systemItem({}, () => app.getLoginItemSettings().openAtLogin)
    : noItem(
        'On macOS, Porchlight can start at login only with its default data folder. This Porchlight was started with --data.',
      );
}

/** Returns the name of the isolated environment in which the app runs: its own files aren't those of the system. */
function storeOf(env: NodeJS.ProcessEnv): string | undefined {
  if (env['FLATPAK_ID']) return 'Flatpak';
  return env['SNAP'] && process.execPath.startsWith(env['SNAP']) ? 'Snap' : undefined;
}

/** Quotes a path for a command line on Windows, where a backslash before a quotation mark escapes it. */
export const quotedForWindows = (path: string): string => `"${path.replace(/\\+$/, '$&$&')}"`;

/**
 * Returns whether macOS started the app at login. In that case, the app opens no window. On other systems, the login
 * item passes --no-open instead.
 */
export function wasStartedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function systemItem(item: Pick<Settings, 'name' | 'path' | 'args'>, isOn: () => boolean): LoginItem {
  return {
    isOn: () => Promise.resolve(isOn()),
    set(on) {
      if (on && !app.isPackaged)
        return notSupported(
          'Porchlight can start at login once it is installed. This copy runs from its source code.',
        );
      app.setLoginItemSettings({ ...item, openAtLogin: on });
      if (isOn() === on) return Promise.resolve();
      // Enabling failed, so remove any entry that would still start the app.
      if (on) app.setLoginItemSettings({ ...item, openAtLogin: false });
      return notSupported('The system refused the change. Check the login items in your system settings.');
    },
    // Nothing to do: on macOS and Windows, an update doesn't change the path of the app.
    renew: () => Promise.resolve(),
  };
}

/** Returns the login item of an app that can't start at login. `why`: the reason, for the owner. */
export function noItem(why: string): LoginItem {
  return {
    isOn: () => Promise.resolve(false),
    set: (on) => (on ? notSupported(why) : Promise.resolve()),
    renew: () => Promise.resolve(),
  };
}

function notSupported(why: string): Promise<never> {
  return Promise.reject(new PorchlightError('not_supported', why));
}

/** Returns the command that starts the running app: its AppImage, its executable, or Electron with the built source. */
function thisApp(): string[] {
  if (app.isPackaged) return [appImage() ?? process.execPath];
  const root = app.getAppPath();
  const unsandboxed = app.commandLine.hasSwitch('no-sandbox') ? ['--no-sandbox'] : [];
  return [process.execPath, ...unsandboxed, '--require', join(root, 'out', 'main', 'early.cjs'), root];
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
