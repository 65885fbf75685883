import { createRequire } from 'node:module';
import path from 'node:path';
import { checkFolder, checkText } from './app/check.ts';
import { PorchlightError } from './contract/error.ts';
import { openConsole, type Console } from './http/console.ts';
import { withDemo } from './demo/folder.ts';
import { openOwnerSocket } from './http/owner-socket.ts';
import { fileThatOpens, openInBrowser } from './open-in-browser.ts';
import { defaultDataDir, helpText, parseOptions, type Options } from './app/options.ts';
import { ask } from './app/ask.ts';
import { createKeptLog, type Log } from './platform/log.ts';
import { createLogFile } from './platform/log-file.ts';
import { leave, releaseMemoryAtRest } from './platform/own-process.ts';
import { hasSecretsFile, secretsFileIn } from './platform/secrets.ts';
import type { Service, ServiceOptions } from './app/service.ts';
import { openApp } from './app/app.ts';

/** The headless program: runs the service on plain Node and serves the window as a page on a loopback address. */

const here = import.meta.dirname;
const { version } = createRequire(import.meta.url)(path.join(here, '../../package.json')) as {
  version: string;
};
const windowDir = path.join(here, '../renderer');
const stopWithinMs = 5000;
/** What the service gets besides the options of the command line. */
type OpenedWith = Pick<ServiceOptions, 'log' | 'logFile' | 'clock' | 'web' | 'ending'>;
const exit = (code: number) => process.exit(code);

async function main(): Promise<void> {
  const options = withDemo(parseOptions(process.argv.slice(2), process.env));
  if (options.help) return void process.stdout.write(`${helpText()}\n`);
  if (options.version) return void process.stdout.write(`${version}\n`);
  if (options.check) return check(options);
  const logFile = createLogFile();
  const log = createKeptLog({ level: 'info' }, logFile);
  const demo = options.demo ? (await import('./demo/demo.ts')).prepareDemo(options) : undefined;
  const ending = new AbortController();
  const opening = openAll(options, { log, logFile, ending: ending.signal, ...demo?.service });
  // Before the service is open, because a process that ends without unlocking the data folder looks like a crash.
  stopOnSignal(ending, async () => (await opening).stop(), log);
  const { service, ownersPage } = await opening;
  if (ending.signal.aborted) return;
  await service.start();
  await demo?.fill(service);
  await announce(options, service, ownersPage);
  releaseMemoryAtRest();
}

/** Opens the service, the owner's page and the owner's socket. */
async function openAll(options: Options, more: OpenedWith) {
  const { log } = more;
  const service = await open(options, more);
  const ownersPage = await openConsole({
    owner: service.owner,
    transfers: service.transfers,
    port: options.consolePort,
    windowDir,
    log,
  }).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  const socket = await openOwnerSocket({
    owner: service.owner,
    dataDir: dataDirOf(options),
    version,
    log,
    openWindow() {
      const link = ownersPage.newLink();
      return { link, file: fileThatOpens(link) };
    },
  });
  return {
    service,
    ownersPage,
    // Close the socket before the service stops. A stopped service unlocks the data folder, and another process can then
    // create its own socket there.
    stop: () => Promise.all([ownersPage.close(), socket.close().then(() => service.stop())]),
  };
}

async function check(options: Options): Promise<void> {
  const found = await checkFolder(dataDirOf(options));
  process.stdout.write(checkText(found, options.json));
  process.exitCode = found.problems.length === 0 ? 0 : 1;
}

const dataDirOf = ({ dataDir }: Options) => dataDir ?? defaultDataDir(process.env, process.platform);

/**
 * Opens the service. Stores secrets where --secrets says. Without --secrets, uses the secrets file if it exists, or
 * else the keychain. If the keychain is unavailable, creates a secrets file.
 */
async function open(options: Options, more: OpenedWith): Promise<Service> {
  const dataDir = dataDirOf(options);
  const base: Omit<ServiceOptions, 'secrets'> = { ...options, ...more, dataDir, version };
  const preferred = options.secrets ?? (hasSecretsFile(dataDir) ? 'file' : 'keychain');
  try {
    return await openApp({ ...base, secrets: preferred });
  } catch (error) {
    const mayFallBack =
      options.secrets === undefined &&
      error instanceof PorchlightError &&
      error.code === 'keychain_unavailable';
    if (!mayFallBack) throw error;
    more.log.warn(
      `${error.message} Porchlight keeps its secrets in a file that only you can read: ${secretsFileIn(dataDir)}`,
    );
    return openApp({ ...base, secrets: 'file' });
  }
}

async function announce(options: Options, { owner }: Service, ownersPage: Console): Promise<void> {
  const { words, baseUrl, port } = await ask(owner, 'status.get', {});
  const { token } = await ask(owner, 'secrets.managementToken', {});
  const { url: consoleUrl, ownerKey } = ownersPage;
  const address = `${consoleUrl}/#key=${ownerKey}`;
  const opens = options.open && process.stdout.isTTY;
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ event: 'ready', baseUrl, port, consoleUrl, ownerKey, managementToken: token })}\n`
      : `Porchlight ${version}, your personal IndieWeb server. ${words}\n` +
          `Your window: ${address}${opens ? ' (opening in your browser)' : ''}\n`,
  );
  if (opens) openInBrowser(address);
}

/** On the first signal to stop, aborts `ending` and calls `end`. Then ends the process. */
function stopOnSignal(ending: AbortController, end: () => Promise<unknown>, log: Log): void {
  const stop = (): void => {
    if (ending.signal.aborted) return;
    ending.abort();
    setTimeout(() => void leave(1, exit), stopWithinMs).unref();
    end().then(
      () => leave(0, exit),
      (error: unknown) => {
        log.error({ err: error }, 'Stopping failed.');
        void leave(1, exit);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  const words =
    error instanceof PorchlightError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`Porchlight could not start: ${words}\n`);
  void leave(1, exit);
});
