import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PorchlightError } from '../src-main/contract/error.ts';
import { helpText, parseOptions, type Options } from '../src-main/app/options.ts';
import { root, say } from './child.ts';
import { findElectron } from './electron.ts';

/** A command, its arguments and its environment. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

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

/** Returns the path of Electron, if it is wanted. Says why if it can't run here; then Node starts Porchlight. */
export async function findRuntime({ headless }: Options): Promise<string | undefined> {
  if (headless) return undefined;
  const found = await findElectron();
  if ('path' in found) return found.path;
  say(`Starting without Electron: ${found.missing}. The window opens as a page in your browser.`);
  return undefined;
}

/** Returns how to start the app that is built in `folder`: the project's folder or one like it. */
export function launchOf(electron: string | undefined, folder: string, flags: readonly string[]): Launch {
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

/** In MB. V8 keeps pages that garbage left, in proportion to this; the default of 16 kept 140 MB after a flood. */
const youngGeneration = '--max-semi-space-size=2';

/**
 * Returns the environment for the headless program, in which it gives memory back. On Linux, glibc also keeps memory
 * that was freed for each thread and for large blocks: after a flood of pages, a third of the process. What `env` says
 * takes precedence.
 */
export function headlessEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const NODE_OPTIONS = `${youngGeneration} ${env.NODE_OPTIONS ?? ''}`.trim();
  if (process.platform !== 'linux') return { ...env, NODE_OPTIONS };
  const block = String(128 * 1024);
  const memory = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: block, MALLOC_TRIM_THRESHOLD_: block };
  return { ...memory, ...env, NODE_OPTIONS };
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
