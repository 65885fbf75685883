import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PorchlightError } from '../src-main/contract/error.ts';
import { helpText, parseOptions } from '../src-main/app/options.ts';
import type { Options } from '../src-main/app/options.ts';
import { root, say } from './child.ts';
import { findElectron } from './electron.ts';
import { headlessEnvironment } from './headless-environment.ts';

/**
 * Reads the flags of `npm start` and `npm run dev`. Answers --help and --version, and reports invalid flags. Returns
 * undefined if there is nothing to start.
 */
export function readFlags(flags: readonly string[]): Options | undefined {
  try {
    const { headless } = parseOptions(flags, process.env, { tolerateUnknown: true });
    // Chromium's switches are passed on to the desktop app. The headless server has none.
    const options = parseOptions(flags, process.env, { tolerateUnknown: !headless });
    if (options.help) process.stdout.write(helpText());
    else if (options.version) process.stdout.write(`${version()}\n`);
    else return options;
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
  return undefined;
}

/** The program to start Porchlight with: Electron, or Node if Electron isn't wanted or can't run here. */
export interface Runtime {
  readonly electron: string | undefined;
}

/** Returns what to start Porchlight with. Says why if Electron was wanted and can't run. */
export async function findRuntime({ headless }: Options): Promise<Runtime> {
  if (headless) return { electron: undefined };
  const found = await findElectron();
  if ('path' in found) return { electron: found.path };
  say(`Starting without Electron: ${found.missing}. The window opens as a page in your browser.`);
  return { electron: undefined };
}

/** A command, its arguments and its environment. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Returns how to start the app that is built in `folder`: the project's folder or one like it. */
export function launchOf({ electron }: Runtime, folder: string, flags: readonly string[]): Launch {
  if (electron === undefined) {
    const program = join(folder, 'out/main/headless.js');
    return { command: process.execPath, args: [program, ...flags], env: headlessEnvironment() };
  }
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  if (isRoot)
    say('Porchlight is running as root, so Chromium runs without its sandbox. An ordinary account is safer.');
  // Editors that are Electron apps set this; it would turn our Electron into plain Node.
  const env = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  const early = ['--require', join(folder, 'out/main/early.cjs')];
  return { command: electron, args: [...(isRoot ? ['--no-sandbox'] : []), ...early, folder, ...flags], env };
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
