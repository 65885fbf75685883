import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { LoginItem } from './start-at-login.ts';

/** Returns the path of the entry that Linux desktops start at login (Desktop Application Autostart Specification). */
export function autostartPath(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const config = env['XDG_CONFIG_HOME'] ?? '';
  // XDG Base Directory Specification: a relative path is ignored.
  const folder = isAbsolute(config) ? config : join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'autostart', `${name}.desktop`);
}

/**
 * Returns an entry that starts `command` at login.
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

/** Returns whether an entry is enabled: desktops may disable it with a line instead of deleting the file. */
export function startsAtLogin(entry: string): boolean {
  return !/^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/im.test(entry);
}

/** Returns a login item that starts the app with an entry in the autostart folder. */
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
      // An AppImage has its version in its name, so after an update the old command no longer works.
      if ((await read())?.includes(`\nExec=${execLine(command)}\n`) === false) await write();
    },
  };
}

// Desktop Entry Specification, "The Exec key": each part is quoted, and the characters " ` $ and \ in it are escaped.
// Then the whole value is escaped as a string, and % is doubled.
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
