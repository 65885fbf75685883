import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ask } from '../app/ask.ts';
import type { OwnerApi, Reply } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { isRecord, own } from '../storage/json-value.ts';
import { failureWords } from './dialog-words.ts';

/** The system's login item, which starts Porchlight at login. */
export interface LoginItem {
  /** Returns whether the login item is enabled in the system, by Porchlight or by the owner. */
  isOn(): Promise<boolean>;
  /**
   * Enables or disables the login item.
   * @throws if the system refuses.
   */
  set(on: boolean): Promise<void>;
  /** Updates an enabled item with the app's current location. Never enables an item. */
  renew(): Promise<void>;
}

/**
 * Wraps the owner's API so that a change to `settings.desktop.startAtLogin` also changes the login item. Changes the
 * login item first, and saves the setting only if the system accepted the change.
 */
export function withStartAtLogin(owner: OwnerApi, item: LoginItem): OwnerApi {
  return {
    subscribe: (listener) => owner.subscribe(listener),
    async call(method, params): Promise<Reply> {
      const on = method === 'settings.update' ? wishOf(params) : undefined;
      if (on === undefined) return owner.call(method, params);
      try {
        const before = await item.isOn();
        await item.set(on);
        const reply = await owner.call(method, params);
        if ('error' in reply) await item.set(before);
        return reply;
      } catch (error) {
        const message = `Start at login could not be changed. ${failureWords(error).detail}`;
        return { error: { code: 'not_supported', message } };
      }
    },
  };
}

/**
 * Updates the start-at-login setting from the system's login item, at startup. The setting and the item can differ
 * if the owner turned the item off in the system, or copied the data from another computer. Never turns the login item
 * on.
 */
export async function followSystem(owner: OwnerApi, item: LoginItem): Promise<void> {
  const { desktop } = await ask(owner, 'settings.get', {});
  const on = await item.isOn();
  if (on !== desktop.startAtLogin) await ask(owner, 'settings.update', { desktop: { startAtLogin: on } });
  if (on) await item.renew();
}

function wishOf(params: unknown): boolean | undefined {
  const desktop = isRecord(params) ? own(params, 'desktop') : undefined;
  const wish = isRecord(desktop) ? own(desktop, 'startAtLogin') : undefined;
  return typeof wish === 'boolean' ? wish : undefined;
}

/**
 * Returns the path of the autostart entry, which Linux desktops run at login (Desktop Application Autostart
 * Specification).
 */
export function autostartPath(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const config = env['XDG_CONFIG_HOME'] ?? '';
  // The XDG Base Directory Specification says that a relative path must be ignored.
  const folder = isAbsolute(config) ? config : join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'autostart', `${name}.desktop`);
}

/**
 * Returns the text of an autostart entry that runs `command` at login.
 * @throws PorchlightError `invalid_request` if `command` contains a line break.
 */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Porchlight',
    'Comment=The home of your web identity',
    `Exec=${execLine(command)}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/**
 * Returns whether an autostart entry is enabled. Some desktops disable an entry by adding a line instead of deleting
 * the file.
 */
export function startsAtLogin(entry: string): boolean {
  return !/^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/im.test(entry);
}

/** Returns a login item that starts the app through an entry in the autostart folder. */
export function autostartFile(file: string, command: readonly string[]): LoginItem {
  const read = () => readFile(file, 'utf8').catch(() => undefined);
  const write = async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, autostartEntry(command));
  };
  return {
    async isOn() {
      const entry = await read();
      return entry !== undefined && startsAtLogin(entry);
    },
    set: (on) => (on ? write() : rm(file, { force: true })),
    async renew() {
      // The file name of an AppImage contains its version, so the old command no longer works after an update.
      if ((await read())?.includes(`\nExec=${execLine(command)}\n`) === false) await write();
    },
  };
}

// Desktop Entry Specification, "The Exec key": each argument is quoted, and the characters " ` $ and \ in it are
// escaped. Then the whole value is escaped as a string, and % is doubled.
function execLine(command: readonly string[]): string {
  if (command.some((part) => /[\n\r\0]/.test(part))) {
    throw new PorchlightError(
      'invalid_request',
      'Start at login does not work from a folder with a line break in its name.',
    );
  }
  return command
    .map((part) => `"${part.replace(/["`$\\]/g, '\\$&')}"`)
    .join(' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%');
}
