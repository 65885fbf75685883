import { createInterface } from 'node:readline';
import { python, whyNoMocks, type SessionBus } from './session-bus.ts';

/** Why there can be no notification daemon here; undefined where there can. */
export function whyNoNotifications(): string | undefined {
  return process.platform === 'linux' ? whyNoMocks() : 'notifications are watched on Linux only';
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
