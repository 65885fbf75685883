// What `npm start` runs: builds if needed, then starts the desktop app, or the headless server where Electron can't run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PorchlightError } from '../src-main/contract/error.ts';
import { helpText, parseOptions } from '../src-main/options.ts';
import type { Options } from '../src-main/options.ts';
import { isStale, sourcesDigest } from './build-stamp.ts';
import { root, runChild, say } from './child.ts';
import { findElectron } from './electron.ts';
import { headlessEnvironment } from './headless-environment.ts';

const flags = process.argv.slice(2);
const options = readOptions();
if (options === undefined) process.exitCode = 1;
else if (options.help) process.stdout.write(helpText());
else if (options.version) process.stdout.write(`${version()}\n`);
else process.exitCode = await start(options);

/** Passes Chromium's switches through to the desktop app; the headless server has none. */
function readOptions(): Options | undefined {
  try {
    const { headless } = parseOptions(flags, process.env, { tolerateUnknown: true });
    return parseOptions(flags, process.env, { tolerateUnknown: !headless });
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    say(error.message);
    return undefined;
  }
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

async function start({ headless }: Options): Promise<number> {
  if (isStale(sourcesDigest())) {
    const built = await runChild(process.execPath, [join(root, '.ci/build.ts')]);
    if (built !== 0) return built;
  }
  if (headless) return startHeadless();
  const runtime = await findElectron();
  if ('path' in runtime) return startDesktop(runtime.path);
  say(`Starting without Electron: ${runtime.missing}. The window opens as a page in your browser.`);
  return startHeadless();
}

function startHeadless(): Promise<number> {
  const program = join(root, 'out/main/headless.js');
  return runChild(process.execPath, [program, ...flags], { env: headlessEnvironment() });
}

function startDesktop(electron: string): Promise<number> {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  if (isRoot)
    say('Porchlight is running as root, so Chromium runs without its sandbox. An ordinary account is safer.');
  // Editors that are Electron apps set this; it would turn our Electron into plain Node.
  const env = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  const early = ['--require', join(root, 'out/main/early.cjs')];
  return runChild(electron, [...(isRoot ? ['--no-sandbox'] : []), ...early, root, ...flags], { env });
}
