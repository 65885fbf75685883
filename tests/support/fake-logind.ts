import { openSessionBus, python, whyNoMocks } from './session-bus.ts';

const name = 'org.freedesktop.login1';

/** Why there can be no stand-in for logind here; undefined where there can. */
export function whyNoLogind(): string | undefined {
  return process.platform === 'linux' ? whyNoMocks() : 'logind announces sleep on Linux only';
}

/** A stand-in for logind, which tells programs that the computer goes to sleep, and that it has woken. */
export interface FakeLogind {
  /** For the program that is to hear of it. */
  readonly env: Record<string, string>;
  readonly announce: (what: 'sleep' | 'waking') => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the stand-in on a system bus of its own. */
export async function openFakeLogind(): Promise<FakeLogind> {
  const bus = await openSessionBus();
  const address = bus.env['DBUS_SESSION_BUS_ADDRESS'] ?? '';
  bus.start(python, ['-m', 'dbusmock', '--session', '--template', 'logind']);
  await bus.waitFor(name);
  return {
    env: { DBUS_SYSTEM_BUS_ADDRESS: address },
    async announce(what) {
      await bus.run('gdbus', [
        'call',
        '--session',
        '--dest',
        name,
        '--object-path',
        '/org/freedesktop/login1',
        '--method',
        'org.freedesktop.DBus.Mock.EmitSignal',
        `${name}.Manager`,
        'PrepareForSleep',
        'b',
        `[<${what === 'sleep'}>]`,
      ]);
    },
    close: bus.close,
  };
}
