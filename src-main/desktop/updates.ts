import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { app, shell } from 'electron';
import { projectPages } from '../contract/names.ts';
import type { Log } from '../platform/log.ts';
import { appImage } from './ending.ts';
import { showMessageBox } from './message-box.ts';
import { createOffers, restrain } from './update-offer.ts';

/** The time between two checks, in milliseconds. */
const daily = 24 * 60 * 60 * 1000;

/**
 * Checks for newer versions, now and daily. Does nothing if the package contains no update feed (PORCHLIGHT_UPDATE_FEED
 * at build time). Updating never changes the login item. Returns a function to call when the app quits.
 */
export function startUpdates(log: Log): () => void {
  const ending = new AbortController();
  const hasFeed = app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
  // An error during an update check must not end the app.
  if (hasFeed) checkDaily(ending.signal, log).catch((error: unknown) => log.warn({ err: error }, 'updates'));
  return () => ending.abort();
}

async function checkDaily(signal: AbortSignal, log: Log): Promise<void> {
  // Import the updater only here, because an app without a feed doesn't need it.
  const { autoUpdater } = await import('electron-updater');
  // The updater's own messages are only logged, because being offline is not worth a dialog.
  autoUpdater.logger = log;
  restrain(autoUpdater);
  // Allow only https, even if the feed or a redirect names another scheme.
  autoUpdater.netSession.webRequest.onBeforeRequest(({ url }, done) =>
    done({ cancel: new URL(url).protocol !== 'https:' }),
  );
  const checkForUpdate = createOffers({
    updater: autoUpdater,
    version: app.getVersion(),
    canInstall: () => canInstall(),
    openReleases: () => void shell.openExternal(projectPages.releases),
    show: async (options) => (await showMessageBox({ ...options, signal })).response,
    failed: (error) => log.warn({ err: error }, 'an update could not be offered'),
  });
  const timer = setInterval(() => void checkForUpdate(), daily);
  signal.addEventListener('abort', () => clearInterval(timer));
  await checkForUpdate();
}

/**
 * Returns whether this package can replace itself. Packages of a Linux distribution belong to the system, and an
 * unpacked archive has no installer. macOS replaces an app only by one with the same Developer ID.
 */
export async function canInstall(
  platform = process.platform,
  describe: (program: string) => Promise<string> = signatureOf,
): Promise<boolean> {
  if (platform === 'linux') return appImage() !== undefined;
  if (platform !== 'darwin') return true;
  return /^Authority=Developer ID Application: /m.test(await describe(process.execPath).catch(() => ''));
}

async function signatureOf(program: string): Promise<string> {
  // codesign writes its description to stderr.
  return (await promisify(execFile)('/usr/bin/codesign', ['-dvv', program])).stderr;
}
