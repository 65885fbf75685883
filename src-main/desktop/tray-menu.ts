import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { MenuItemConstructorOptions } from 'electron';
import type { ImportProgress } from '../contract/mention-import.ts';
import type { Status } from '../contract/status.ts';

export interface TrayActions {
  readonly copyAddress: () => void;
  readonly turnOn: () => void;
  readonly turnOff: () => void;
  readonly open: () => void;
  /** Opens the small editor window. */
  readonly write: () => void;
  readonly signIns: () => void;
  readonly heldMentions: () => void;
  readonly importNow: () => void;
  readonly selfTest: () => void;
  readonly startAtLogin: (on: boolean) => void;
  readonly quit: () => void;
}

export interface TrayState {
  readonly status: Status;
  /** The number of mentions that are waiting for approval, as text: `3` or `99+`; empty if there are none. */
  readonly held: string;
  /** Whether the token for importing mentions from webmention.io is stored. */
  readonly canImport: boolean;
  /** The progress of the current or last import; null if there has been none. */
  readonly importing: ImportProgress | null;
  readonly testing: boolean;
  readonly startAtLogin: boolean;
}

const separator: MenuItemConstructorOptions = { type: 'separator' };

/** Returns the tray's menu for a state as plain data, which tests can check without a tray. */
export function trayMenu(state: TrayState, actions: TrayActions): MenuItemConstructorOptions[] {
  const { status, held, canImport, testing, startAtLogin } = state;
  return [
    { label: labelOf(status.words), enabled: false },
    ...(status.server === 'on'
      ? [{ label: labelOf(`Copy ${status.baseUrl}`), click: actions.copyAddress }]
      : []),
    ...(status.waiting > 0 ? [{ label: waitingWords(status.waiting), click: actions.signIns }] : []),
    ...(held === '' ? [] : [{ label: heldWords(held), click: actions.heldMentions }]),
    separator,
    ...(status.server === 'on'
      ? []
      : [{ label: status.server === 'off' ? 'Turn on' : 'Try again', click: actions.turnOn }]),
    // If only the tunnel has failed, the server is still running and can be turned off.
    ...(status.port === null ? [] : [{ label: 'Turn off', click: actions.turnOff }]),
    ...(canImport ? [importItem(state, actions)] : []),
    testing
      ? { label: 'Self-test is running…', enabled: false }
      : { label: 'Self-test', click: actions.selfTest },
    separator,
    { label: 'Write a post', click: actions.write },
    { label: 'Open Porchlight', click: actions.open },
    {
      label: 'Start at login',
      type: 'checkbox',
      checked: startAtLogin,
      click: () => actions.startAtLogin(!startAtLogin),
    },
    separator,
    { label: 'Quit', click: actions.quit },
  ];
}

/** Returns the tooltip of the tray icon. */
export function trayTip(status: Status): string {
  return `Porchlight: ${oneLine(status.words)}`;
}

function importItem({ importing }: TrayState, { importNow }: TrayActions): MenuItemConstructorOptions {
  if (importing?.state !== 'running') return { label: 'Import now', click: importNow };
  return {
    label: importing.done === 0 ? 'Importing…' : `Importing… ${importing.done} so far`,
    enabled: false,
  };
}

/** Returns a text that says how many sign-ins are waiting. */
export function waitingWords(count: number): string {
  return count === 1 ? '1 sign-in is waiting…' : `${count} sign-ins are waiting…`;
}

function heldWords(count: string): string {
  return count === '1' ? '1 mention is waiting for approval…' : `${count} mentions are waiting for approval…`;
}

// In the label of a menu item, a single ampersand marks an access key.
function labelOf(words: string): string {
  return oneLine(words).replaceAll('&', '&&');
}

// Returns the text as one line, truncated because menus are narrow.
function oneLine(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}

const [name, path] = ['org.freedesktop.DBus', '/org/freedesktop/DBus'];
const watcher = 'org.kde.StatusNotifierWatcher';

// Commands that query the session bus. They are part of GLib, D-Bus and systemd, and every desktop has at least one.
const askers = [
  `gdbus call --session -d ${name} -o ${path} -m ${name}.NameHasOwner ${watcher} --timeout 2`,
  `dbus-send --session --print-reply --reply-timeout=2000 --dest=${name} ${path} ${name}.NameHasOwner string:${watcher}`,
  `busctl --user --timeout=2 call ${name} ${path} ${name} NameHasOwner s ${watcher}`,
].map((line) => line.split(' '));

type Run = (command: string, args: readonly string[]) => Promise<string>;

const run: Run = async (command, args) =>
  (await promisify(execFile)(command, [...args], { timeout: 3_000 })).stdout;

/**
 * Returns whether this desktop shows tray icons. Windows and macOS always do. A Linux desktop does if a program owns
 * the name of the StatusNotifierWatcher on the session bus (StatusNotifierItem specification). If the check itself
 * fails, returns false even though there may be a tray. The owner then sees a notice that the server keeps running.
 * Without the notice, the owner might not find the running program.
 */
export async function hasTrayHost(platform: NodeJS.Platform = process.platform, ask = run): Promise<boolean> {
  if (platform !== 'linux') return true;
  for (const [command = '', ...args] of askers) {
    const answer = await ask(command, args).catch(() => '');
    if (/\btrue\b/.test(answer)) return true;
    if (/\bfalse\b/.test(answer)) return false;
  }
  return false;
}
