// What `npm run dev` runs: Porchlight from its sources. Vite's dev server brings changes of the window as they are
// saved. After a change of the main process, it is built and started again. All files are in .dev/, which git ignores.
import { cpSync, mkdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { openInBrowser } from '../src-main/open-in-browser.ts';
import type { Options } from '../src-main/app/options.ts';
import { root, runChild, say } from './child.ts';
import { createProgram, type Ready } from './dev-program.ts';
import { serveWindow } from './dev-window.ts';
import { findRuntime, launchOf, readFlags } from './launch.ts';

/** One save may write several files, and an editor may write a file twice. */
const settledMs = 100;

const folder = join(root, '.dev');
const flags = process.argv.slice(2);
const given = readFlags(flags);
// The defaults come first, so that the developer's own flags take precedence over them. A demo has a folder of its own.
const separate = ['--data', join(folder, 'data'), '--secrets', 'file', '--port', '4280'];
const all = ['--console-port', '4281', ...(given?.demo === true ? [] : separate), ...flags];
const options = given && readFlags(all);
if (options) await develop(options);

async function develop(options: Options): Promise<void> {
  for (const name of ['package.json', 'resources'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  // The built window's folder must exist. It stays empty.
  mkdirSync(join(folder, 'out/renderer'), { recursive: true });
  const electron = await findRuntime(options);
  const isHeadless = electron === undefined;
  // Vite serves the page on the port that the developer chose, and passes its calls on to the program's own page.
  const behind = ['--headless', '--console-port', '0', '--no-open', '--json'];
  const launch = launchOf(electron, folder, isHeadless ? [...all, ...behind] : all);

  const window = await serveWindow({
    port: options.consolePort,
    cacheDir: join(folder, 'vite'),
    program: () => program.ready(),
  });
  const env = { ...launch.env, PORCHLIGHT_DEV_WINDOW: window.url };
  const program = createProgram({ ...launch, env }, isHeadless, () => void end());

  let isFirst = true;
  const buildAndStart = async () => {
    const build = [join(root, 'scripts/dev-build.ts'), join(folder, 'out/main')];
    const built = await runChild(process.execPath, build, { stdio: ['ignore', 2, 2] });
    if (built !== 0) return;
    const ready = await program.restart();
    if (!ready) return;
    announce(options, { ...ready, consoleUrl: window.url, ownerKey: window.ownerKey }, isFirst);
    isFirst = false;
  };

  let work = buildAndStart();
  let timer: NodeJS.Timeout | undefined;
  window.watch(join(root, 'src-main') + sep, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void (work = work.then(buildAndStart)), settledMs);
  });

  async function end(): Promise<void> {
    await Promise.all([program.end(), window.close()]);
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());
}

function announce(options: Options, ready: Ready, isFirst: boolean): void {
  const address = `${ready.consoleUrl}/#key=${ready.ownerKey}`;
  if (options.json) process.stdout.write(`${JSON.stringify(ready)}\n`);
  else if (isFirst) process.stdout.write(`Your window: ${address}\n`);
  else say('Porchlight has started again.');
  if (isFirst && options.open && process.stdout.isTTY) openInBrowser(address);
}
