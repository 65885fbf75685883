import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SessionBus } from './session-bus.ts';

// Debian's own Python: another one that comes first on the PATH does not have its modules.
const python = '/usr/bin/python3';

/** Why there can be no notification daemon here; undefined where there can. */
export function whyNoNotifications(): string | undefined {
  if (process.platform !== 'linux') return 'notifications are watched on Linux only';
  const { status } = spawnSync(python, ['-c', 'import dbusmock']);
  return status === 0 ? undefined : 'python3-dbusmock is not installed';
}

/** A notification daemon that shows nothing and remembers all that it was asked. */
export interface NotificationDaemon {
  /** What came in since it started, a line a call, such as `Notify "Porchlight" 0 ...` or `CloseNotification 1`. */
  readonly calls: () => string[];
}

/** Resolves when the bus knows it. It ends with the bus. */
export async function startNotificationDaemon(bus: SessionBus): Promise<NotificationDaemon> {
  const calls: string[] = [];
  const daemon = bus.start(python, ['-u', '-m', 'dbusmock', '--template', 'notification_daemon']);
  createInterface(daemon.stdout!).on('line', (line) => calls.push(line.replace(/^[\d.]+ /, '')));
  await bus.waitFor('org.freedesktop.Notifications');
  return { calls: () => [...calls] };
}
