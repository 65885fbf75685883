import { createRequire } from 'node:module';
import { join } from 'node:path';
import { app } from 'electron';
import { checkFolder, checkText } from './app/check.ts';
import { runHere } from './command/run.ts';
import type { OwnerApi } from './contract/contract.ts';
import type { PorchlightError } from './contract/error.ts';
import { appId, linkScheme } from './contract/names.ts';
import type { Problem } from './contract/status.ts';
import { dataPlace, dataPlaceNow, desktopAbilities } from './desktop/data-place.ts';
import { explainFailure, openForOwner, showDemoNote } from './desktop/opening.ts';
import { endWith, startAgain } from './desktop/ending.ts';
import { openDesktop, type Desktop } from './desktop/owner-desktop.ts';
import { desktopOptions } from './desktop/command-line.ts';
import { placeOfArguments, placeOfLink } from './desktop/addresses.ts';
import { failureWords } from './desktop/dialog-words.ts';
import { wasStartedAtLogin } from './desktop/login-item.ts';
import { onUnexpected, problemOfCrash, watchUnexpected } from './desktop/crashes.ts';
import { showLoss } from './desktop/notification.ts';
import { keepProfile } from './desktop/profile.ts';
import { subcommandOf } from './desktop/subcommand.ts';
import { openOwnerSocket } from './http/owner-socket.ts';
import type { Options } from './app/options.ts';
import { ask } from './app/ask.ts';
import { createKeptLog } from './platform/log.ts';
import { createLogFile } from './platform/log-file.ts';
import { releaseMemoryAtRest } from './platform/own-process.ts';
import { hasSecretsFile } from './platform/secrets.ts';
import type { Service, ServiceOptions } from './app/service.ts';
import { openApp } from './app/app.ts';
import type { DataPlace } from './data/backup/find-data.ts';

const commandLine = subcommandOf(process.argv, app.isPackaged ? undefined : app.getAppPath());
// Electron doesn't become ready until this module has loaded. A `porchlight` command therefore finishes here without
// connecting to a display, taking the single-instance lock or showing a window.
if (commandLine) app.exit(await runHere(commandLine, app.getVersion()));
else begin();

function begin(): void {
  // early.cjs must run first, and only once: see desktop/early.ts.
  createRequire(import.meta.url)(join(import.meta.dirname, 'early.cjs'));
  const options = desktopOptions(process.argv.slice(1));
  // early.ts has set the folder of the browser profile. If Electron starts the app from the app's folder, Electron
  // resets that setting afterward, so set the folder again.
  const unwritable = options && keepProfile(options);
  // The calls below are not awaited, because Electron becomes ready only after this module has loaded.
  if (options?.check === true) void check(options);
  else if (unwritable) void refuse(unwritable);
  else if (options && app.requestSingleInstanceLock()) void run(options);
  else if (options) {
    process.stderr.write('Porchlight is already running. Its window is now in front.\n');
    app.exit(0);
  }
}

async function run(options: Options): Promise<void> {
  let desktop: Desktop | undefined;
  let socket: Awaited<ReturnType<typeof openOwnerSocket>> | undefined;
  const ending = new AbortController();
  const show = (at?: string) => {
    // Keep the window closed during shutdown, because nothing could respond to the window's requests.
    if (!ending.signal.aborted) desktop?.show(at);
  };
  // On macOS, porchlight: links arrive as `open-url` events. If a link started the app, the event arrives before the
  // app is ready.
  let place = placeOfArguments(process.argv);
  app.on('open-url', (event, link) => {
    event.preventDefault();
    place = placeOfLink(link) ?? place;
    if (place !== undefined) show(place);
  });
  await app.whenReady();
  app.setAppUserModelId(appId);
  let service: Promise<Service | undefined> = Promise.resolve(undefined);
  const stop = endWith(async () => {
    ending.abort();
    desktop?.close();
    await socket?.close();
    await (await service.catch(() => undefined))?.stop();
  });
  const exit = (code: number) => app.exit(code);
  const logFile = createLogFile();
  const log = createKeptLog({ level: 'info' }, logFile);
  const unexpected = onUnexpected({
    log,
    file: crashFile(),
    stop,
    relaunch: () => startAgain({ show: false }),
    exit,
    isEnding: () => ending.signal.aborted,
    now: Date.now,
  });
  watchUnexpected((error) => void unexpected(error));
  if (!options.demo) registerLinks();
  app.on('second-instance', (_event, args) => show(placeOfArguments(args)));
  app.on('activate', () => show());
  // Closing the window must not quit the app: it only hides the window, and the server keeps running.
  app.on('window-all-closed', () => undefined);
  try {
    const demo = options.demo ? (await import('./demo/demo.ts')).prepareDemo(options) : undefined;
    const closeNote = demo && options.open ? showDemoNote() : undefined;
    const where = dataPlace(options.dataDir);
    const more = { log, logFile, ...demo?.service };
    service = where.then((found) => open(options, found, more, ending.signal));
    const opened = await service;
    if (!opened) {
      app.quit();
      return;
    }
    await opened.start();
    await demo?.fill(opened);
    if (ending.signal.aborted) return;
    desktop = await openDesktop(opened, {
      open: (options.open && !wasStartedAtLogin()) || place !== undefined,
      place,
      dataDir: options.dataDir,
      demo: options.demo,
      log,
    });
    closeNote?.();
    socket = await openOwnerSocket({
      owner: opened.owner,
      dataDir: (await where).folder,
      version: app.getVersion(),
      log,
      openWindow() {
        show();
        return { link: null, file: null };
      },
    });
    if (options.json) process.stdout.write(`${JSON.stringify(await readyLine(opened.owner))}\n`);
    // Garbage collection blocks the window's requests, so it runs only after memory use has grown by 64 MiB.
    releaseMemoryAtRest({ growth: 64 * 1024 * 1024, atRest: process.memoryUsage.rss() });
  } catch (error) {
    if (!ending.signal.aborted) await explainFailure(error, ending.signal);
    app.exit(1);
  }
}

async function check(options: Options): Promise<void> {
  try {
    const found = await checkFolder(await dataPlaceNow(options.dataDir));
    process.stdout.write(checkText(found, options.json));
    app.exit(found.problems.length === 0 ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${failureWords(error).detail}\n`);
    app.exit(1);
  }
}

const crashFile = () => join(app.getPath('userData'), 'crash.json');

async function open(
  options: Options,
  { folder: dataDir, problem }: DataPlace,
  more: Pick<ServiceOptions, 'log' | 'logFile' | 'clock' | 'web'>,
  signal: AbortSignal,
): Promise<Service | undefined> {
  const chosen = hasSecretsFile(dataDir) ? 'file' : undefined;
  const crash = problemOfCrash(crashFile(), Date.now());
  const problems: Problem[] = crash ? [crash] : [];
  if (problem !== undefined) problems.push({ code: 'move_failed', message: problem });
  return openForOwner({
    secrets: options.secrets ?? chosen,
    signal,
    open: (secrets) =>
      openApp({
        ...options,
        ...more,
        dataDir,
        secrets,
        problems,
        ending: signal,
        lost: showLoss,
        version: app.getVersion(),
        desktop: desktopAbilities(options.dataDir),
      }),
  });
}

/** Registers this app as the handler of porchlight: links. On Linux, the desktop entry in the package does this. */
function registerLinks(): void {
  if (!app.isPackaged || process.platform === 'linux') return;
  // `--` ends the options, so no part of a link can be mistaken for an option.
  if (process.platform === 'win32') app.setAsDefaultProtocolClient(linkScheme, process.execPath, ['--']);
  else app.setAsDefaultProtocolClient(linkScheme);
}

/** Returns the data that `--json` prints as one line of JSON, for other programs to read. */
async function readyLine(owner: OwnerApi) {
  const { baseUrl, port } = await ask(owner, 'status.get', {});
  const { token } = await ask(owner, 'secrets.managementToken', {});
  return { event: 'ready', baseUrl, port, managementToken: token };
}

/** Shows why Porchlight can't start, then exits. */
async function refuse(error: PorchlightError): Promise<void> {
  await app.whenReady();
  await explainFailure(error, new AbortController().signal);
  app.exit(1);
}
