import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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
