import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { _electron, type ElectronApplication, type Page } from 'playwright';
import type { MethodName, Params, Result } from '../../src-main/contract/contract.ts';
import { resultOf } from '../../src-main/contract/reply.ts';

const root = join(import.meta.dirname, '../..');

/** The Electron binary that tests run: the one of ELECTRON_OVERRIDE_DIST_PATH, else the one npm downloaded. */
export const electronBinary = join(
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(root, 'node_modules/electron/dist'),
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform as string] ??
    'electron',
);

/** Why the desktop cannot be tested here; undefined where it can. Said once by whoever skips. */
export function whyNoDesktop(): string | undefined {
  if (!existsSync(electronBinary)) return 'there is no Electron runtime (ELECTRON_OVERRIDE_DIST_PATH)';
  if (process.platform === 'linux' && !process.env['DISPLAY']) return 'there is no display (DISPLAY)';
  if (!existsSync(join(root, 'out/main/desktop.js'))) return 'the app is not built (npm run build)';
  return undefined;
}

/** What every start of the app in a test needs on its command line. */
export function desktopArguments(
  dataDir: string,
  args: readonly string[] = [],
  checkout: string = root,
): string[] {
  return [...programArguments(checkout), '--data', dataDir, '--port', '0', '--json', ...args];
}

/** Chromium refuses to sandbox what root runs. */
export const sandboxArguments: readonly string[] = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

function programArguments(checkout: string = root): string[] {
  return [...sandboxArguments, '--require', join(checkout, 'out/main/early.cjs'), checkout];
}

/** The environment of every start: never the developer's own keychain entries, never their running options. */
export function desktopEnvironment(env: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('PORCHLIGHT_'),
  );
  return {
    ...Object.fromEntries(kept),
    PORCHLIGHT_SECRET_SERVICE: 'porchlight-test',
    ...env,
  };
}

export interface DesktopOptions {
  /** Made, and removed at the end, where it is not given. */
  readonly dataDir?: string;
  /** `--secrets file` where it is not given. */
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** Runs the demo, whose folder is made below the data folder. */
  readonly demo?: boolean;
  /** Gets each window as it opens, also those that close before the owner's window is there. */
  readonly onWindow?: (page: Page) => void;
  /** Nobody was told yet what closing the window does where there is no tray. */
  readonly firstClosing?: boolean;
}

export interface RunningDesktop {
  readonly app: ElectronApplication;
  /** The owner's window. */
  readonly page: Page;
  readonly dataDir: string;
  /** What --json tells other programs, asked through the window. */
  readonly ready: { baseUrl: string; port: number; managementToken: string };
  /** Quits as the tray's Quit does. The exit code; null where a signal ended it. */
  readonly stop: () => Promise<number | null>;
}

/** Starts the built app in a data folder of its own and waits for its window. */
export async function launchDesktop(options: DesktopOptions = {}): Promise<RunningDesktop> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'porchlight-desktop-')));
  const demo = options.demo === true;
  if (options.firstClosing !== true && !demo) await rememberClosing(dataDir);
  const app = await _electron.launch({
    executablePath: electronBinary,
    args: demo
      ? [...programArguments(), '--demo']
      : desktopArguments(dataDir, options.args ?? ['--secrets', 'file']),
    env: desktopEnvironment({ ...(demo && { TMPDIR: dataDir }), ...options.env }),
  });
  if (options.onWindow) {
    // Some may have opened before the launch was over.
    for (const page of app.windows()) options.onWindow(page);
    app.on('window', options.onWindow);
  }
  const child = app.process();
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const stop = async () => {
    // Quitting cuts the connection that asks for it.
    if (child.exitCode === null) await app.evaluate(({ app }) => app.quit()).catch(() => undefined);
    const code = await exited;
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    return code;
  };
  try {
    const page = await ownersWindow(app);
    await page.waitForFunction(() => window.porchlight !== undefined);
    const status = await callOwner(page, 'status.get', {});
    const { token } = await callOwner(page, 'secrets.managementToken', {});
    const ready = { baseUrl: status.baseUrl, port: status.port ?? 0, managementToken: token };
    return { app, page, dataDir, ready, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for the owner's window, alone: the demo shows a note before it, while it fills itself. */
async function ownersWindow(app: ElectronApplication): Promise<Page> {
  const end = Date.now() + 90_000;
  while (Date.now() < end) {
    const [page, ...others] = app.windows();
    if (page?.url().startsWith('app://') === true && others.length === 0) return page;
    await setTimeout(100);
  }
  throw new Error('The owner’s window did not open.');
}

/** As after the first closing of the window: a screen of tests has no tray, and would be asked about it. */
async function rememberClosing(dataDir: string): Promise<void> {
  await mkdir(join(dataDir, 'electron'), { recursive: true });
  await writeFile(join(dataDir, 'electron', 'closing-was-explained'), '');
}

/** Calls a method of the contract as the window does. Throws where the answer is an error. */
export async function callOwner<M extends MethodName>(
  page: Page,
  method: M,
  params: Params<M>,
): Promise<Result<M>> {
  const reply = await page.evaluate(([method, params]) => window.porchlight!.call(method, params), [
    method,
    params,
  ] as const);
  return resultOf(reply);
}
