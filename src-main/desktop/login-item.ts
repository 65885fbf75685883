import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { app, type Settings } from 'electron';
import { PorchlightError } from '../contract/error.ts';
import { autostartFile, autostartPath } from './autostart-file.ts';
import type { LoginItem } from './login-item-shape.ts';
import { appImage } from './start-again.ts';

/** The item of this app; of this data folder, where it was given on the command line. It starts without a window. */
export function loginItem(dataDir: string | undefined): LoginItem {
  const data = dataDir === undefined ? [] : ['--data', dataDir];
  const name = dataDir === undefined ? 'porchlight' : `porchlight-${shortHash(dataDir)}`;
  if (process.platform === 'linux')
    return autostartFile(autostartPath(name), [...thisApp(), '--no-open', ...data]);
  return systemItem(
    process.platform === 'win32'
      ? { name, path: process.execPath, args: ['--no-open', ...data.map((part) => `"${part}"`)] }
      : {},
  );
}

/** Whether the system started the app, so that no window is wanted. Linux and Windows say so by --no-open. */
export function wasStartedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function systemItem(item: Pick<Settings, 'name' | 'path' | 'args'>): LoginItem {
  const isOn = () => {
    const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings(item);
    // Windows keeps the item and notes beside it that its owner turned it off.
    return Promise.resolve(openAtLogin && (process.platform !== 'win32' || executableWillLaunchAtLogin));
  };
  return {
    isOn,
    async set(on) {
      if (on && !app.isPackaged)
        throw new PorchlightError(
          'not_supported',
          'Start at login works once Porchlight is installed; this one runs from its source.',
        );
      app.setLoginItemSettings({ ...item, openAtLogin: on });
      if ((await isOn()) !== on)
        throw new PorchlightError(
          'not_supported',
          'The system did not take it. Look at the login items in its settings.',
        );
    },
    // The installer of both systems puts an update where the old version was.
    renew: () => Promise.resolve(),
  };
}

/** What starts this very app: its AppImage, its program, or the runtime with the built source. */
function thisApp(): string[] {
  if (app.isPackaged) return [appImage() ?? process.execPath];
  const root = app.getAppPath();
  const unsandboxed = app.commandLine.hasSwitch('no-sandbox') ? ['--no-sandbox'] : [];
  return [process.execPath, ...unsandboxed, '--require', join(root, 'out', 'main', 'early.cjs'), root];
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
