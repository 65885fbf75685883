import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { app } from 'electron';
import { checkFolder, checkText } from './check.ts';
import type { OwnerApi } from './contract/contract.ts';
import { endWith } from './desktop/ending.ts';
import { explainFailure, openForOwner } from './desktop/opening.ts';
import { openDesktop, type Desktop } from './desktop/owner-desktop.ts';
import { optionsOf } from './desktop/command-line.ts';
import { failureWords } from './desktop/failure-words.ts';
import type { Options } from './options.ts';
import { ask } from './owner/ask.ts';
import { createKeptLog } from './platform/log.ts';
import { createLogFile } from './platform/log-file.ts';
import { hasSecretsFile } from './platform/secrets.ts';
import { openService, type Service } from './service.ts';

// First of all, and once: see desktop/early.ts.
createRequire(import.meta.url)(join(import.meta.dirname, 'early.cjs'));
const options = optionsOf(process.argv.slice(1));
// A folder of its own is a Porchlight of its own: browser profile and single-instance lock go with it.
if (options?.dataDir !== undefined) keepProfileIn(join(options.dataDir, 'electron'));
// Not awaited here: Electron is not ready before this module has loaded.
if (options?.check === true) void check(options);
else if (options && app.requestSingleInstanceLock()) void run(options);
else if (options) {
  process.stderr.write('Porchlight is running already; its window is in front now.\n');
  app.exit(0);
}

async function run(options: Options): Promise<void> {
  await app.whenReady();
  app.setAppUserModelId('net.porchlight.desktop');
  const ending = new AbortController();
  let service: Promise<Service | undefined> = Promise.resolve(undefined);
  let desktop: Desktop | undefined;
  endWith(async () => {
    ending.abort();
    desktop?.close();
    await (await service.catch(() => undefined))?.stop();
  });
  app.on('second-instance', () => desktop?.show());
  app.on('activate', () => desktop?.show());
  // Closing the window hides it, so this never ends the app: the light stays on.
  app.on('window-all-closed', () => undefined);
  try {
    service = open(options, ending.signal);
    const opened = await service;
    if (!opened) {
      app.quit();
      return;
    }
    await opened.start();
    desktop = await openDesktop(opened.owner, options.open);
    if (options.json) process.stdout.write(`${JSON.stringify(await readyLine(opened.owner))}\n`);
  } catch (error) {
    if (!ending.signal.aborted) await explainFailure(error, ending.signal);
    app.exit(1);
  }
}

async function check(options: Options): Promise<void> {
  try {
    const found = await checkFolder(dataDirOf(options));
    process.stdout.write(checkText(found, options.json));
    app.exit(found.problems.length === 0 ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${failureWords(error).detail}\n`);
    app.exit(1);
  }
}

const dataDirOf = ({ dataDir }: Options) => dataDir ?? join(app.getPath('userData'), 'data');

function open(options: Options, signal: AbortSignal): Promise<Service | undefined> {
  const dataDir = dataDirOf(options);
  const logFile = createLogFile();
  const log = createKeptLog({ level: 'info' }, logFile);
  const chosen = hasSecretsFile(dataDir) ? 'file' : undefined;
  return openForOwner({
    secrets: options.secrets ?? chosen,
    signal,
    open: (secrets) =>
      openService({
        ...options,
        dataDir,
        secrets,
        version: app.getVersion(),
        log,
        logFile,
      }),
  });
}

/** The line that --json promises to other programs. */
async function readyLine(owner: OwnerApi) {
  const { baseUrl, port } = await ask(owner, 'status.get', {});
  const { token } = await ask(owner, 'secrets.managementToken', {});
  return { event: 'ready', baseUrl, port, managementToken: token };
}

function keepProfileIn(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  app.setPath('userData', folder);
  app.setPath('sessionData', folder);
}
