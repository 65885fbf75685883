import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const [name, path] = ['org.freedesktop.DBus', '/org/freedesktop/DBus'];
const watcher = 'org.kde.StatusNotifierWatcher';

// The tools that query the session bus: GLib's, D-Bus's own and systemd's. Every desktop has at least one of them.
const askers = [
  `gdbus call --session -d ${name} -o ${path} -m ${name}.NameHasOwner ${watcher} --timeout 2`,
  `dbus-send --session --print-reply --reply-timeout=2000 --dest=${name} ${path} ${name}.NameHasOwner string:${watcher}`,
  `busctl --user --timeout=2 call ${name} ${path} ${name} NameHasOwner s ${watcher}`,
].map((line) => line.split(' '));

type Run = (command: string, args: readonly string[]) => Promise<string>;

const run: Run = async (command, args) =>
  (await promisify(execFile)(command, [...args], { timeout: 3_000 })).stdout;

/**
 * Returns whether this desktop shows tray icons. Windows and macOS do; on Linux, a program must own the watcher's name
 * on the session bus (StatusNotifierItem specification). Returns false if this can't be determined: a needless notice
 * that the server keeps running is better than a running program that the owner can't find.
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
