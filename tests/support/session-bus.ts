import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A session bus that nobody else uses: what is on it is what a test puts there. */
export interface SessionBus {
  /** For whoever is to use it. */
  readonly env: Record<string, string>;
  /** Starts a program on it, which ends with the bus at the latest. */
  readonly start: (command: string, args: readonly string[], input?: string) => ChildProcess;
  /** Waits until somebody answers to a name. */
  readonly waitFor: (name: string) => Promise<void>;
  /** Runs a program on it to its end: what it printed. */
  readonly run: (command: string, args: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Why there can be no bus here; undefined where there can. */
export function whyNoBus(): string | undefined {
  return spawnSync('dbus-daemon', ['--version']).error ? 'dbus-daemon is not installed' : undefined;
}

/** Debian's own Python: another one that comes first on the PATH does not have its modules. */
export const python = '/usr/bin/python3';

/** Why no stand-in for a service can be put on a bus here; undefined where one can. */
export function whyNoMocks(): string | undefined {
  const { status } = spawnSync(python, ['-c', 'import dbusmock']);
  return status === 0 ? whyNoBus() : 'python3-dbusmock is not installed';
}

// No service directories: nothing is started on it because somebody asks for it.
const configuration = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

export async function openSessionBus(): Promise<SessionBus> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-bus-'));
  const file = join(folder, 'bus.conf');
  await writeFile(file, configuration);
  const daemon = spawn('dbus-daemon', ['--nofork', '--print-address', `--config-file=${file}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [address] = (await once(createInterface(daemon.stdout), 'line')) as [string];
  const env = {
    PATH: process.env['PATH'] ?? '',
    DBUS_SESSION_BUS_ADDRESS: address,
    // A keyring looks for another one that runs already, and keeps its files, in these.
    XDG_RUNTIME_DIR: folder,
    XDG_DATA_HOME: join(folder, 'data'),
    GNOME_KEYRING_CONTROL: '',
  };
  const started: ChildProcess[] = [daemon];
  return {
    env,
    start(command, args, input) {
      const child = spawn(command, args, {
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin.end(input);
      started.push(child);
      return child;
    },
    waitFor: async (name) => {
      await run('gdbus', ['wait', '--session', '--timeout', '60', name], { env });
    },
    run: async (command, args) => (await run(command, args, { env })).stdout,
    async close() {
      for (const child of started) {
        if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
