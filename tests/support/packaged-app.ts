import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { desktopEnvironment, electronBinary, whyNoDesktop } from './electron-app.ts';

const root = join(import.meta.dirname, '../..');
const runtime = dirname(electronBinary);

/** Why the app cannot be packed and started here; undefined where it can. */
export function whyNoPackage(): string | undefined {
  if (process.platform !== 'linux') return 'the packed app is tested on Linux only';
  const why = whyNoDesktop();
  if (why !== undefined) return why;
  return existsSync(join(runtime, 'version')) ? undefined : `${runtime} does not say its version`;
}

/** Returns whether the app is packed with the Electron that `package.json` pins. */
export function hasPinnedElectron(): boolean {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: { electron: string };
  };
  return readFileSync(join(runtime, 'version'), 'utf8').trim() === own.devDependencies.electron;
}

/** Where the packed app looks for updates, until a test puts its own feed there. */
export const packedFeed = 'https://updates.invalid/';

/** Packs a release candidate as `npm run package` does, into `folder`. Tells the folder of the unpacked app. */
export function packageInto(folder: string): string {
  const version = '-c.extraMetadata.version=1.0.0-rc.1';
  const args = ['--without-cloudflared', version, `-c.directories.output=${folder}`, '-c.compression=store'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/package.ts'), ...args],
    {
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: runtime, PORCHLIGHT_UPDATE_FEED: packedFeed },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`The app could not be packed:\n${stdout}\n${stderr}`);
  return join(folder, 'linux-unpacked');
}

export interface PackagedApp {
  readonly ready: Promise<{ baseUrl: string; managementToken: string }>;
  readonly stderr: () => string;
  /** The exit code, after SIGTERM where it still runs. */
  readonly stop: () => Promise<number | null>;
  readonly exited: Promise<number | null>;
}

/** Starts a packed app as its owner does. */
export function startPackaged(
  app: string,
  args: readonly string[],
  env: Record<string, string> = {},
): PackagedApp {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child: ChildProcess = spawn(join(app, 'porchlight'), [...sandbox, ...args], {
    env: desktopEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const line = once(createInterface(child.stdout!), 'line') as Promise<[string]>;
  const ready = Promise.race([
    line.then(([text]) => JSON.parse(text) as Awaited<PackagedApp['ready']>),
    exited.then((code) => {
      throw new Error(`The packed app ended (${code}) before it was ready: ${stderr}`);
    }),
  ]);
  ready.catch(() => undefined);
  const stop = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { ready, stderr: () => stderr, stop, exited };
}
