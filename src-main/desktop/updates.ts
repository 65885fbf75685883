import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../platform/log.ts';
import { showMessageBox } from './message-box.ts';
import { createOffers, restrain } from './update-offer.ts';

/** Milliseconds between two looks. */
const daily = 24 * 60 * 60 * 1000;

/**
 * Looks for newer versions, now and daily, where the package names a feed (PORCHLIGHT_UPDATE_FEED when it was made);
 * without one there is nothing that could be asked. Start at login stays as the owner set it: nothing here touches it.
 * Call the returned function when the app is to end.
 */
export function startUpdates(log: Log): () => void {
  const ending = new AbortController();
  const hasFeed = app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
  // No fault of updating may end the app.
  if (hasFeed) lookDaily(ending.signal, log).catch((error: unknown) => log.warn({ err: error }, 'updates'));
  return () => {
    ending.abort();
  };
}

async function lookDaily(signal: AbortSignal, log: Log): Promise<void> {
  // Loaded here, so that a start without a feed does not read it.
  const { autoUpdater } = await import('electron-updater');
  // What it finds and what fails stands in the log only: offline is no news.
  autoUpdater.logger = log;
  restrain(autoUpdater);
  // Whatever the feed and its redirects say.
  autoUpdater.netSession.webRequest.onBeforeRequest(({ url }, done) =>
    done({ cancel: new URL(url).protocol !== 'https:' }),
  );
  const look = createOffers({
    updater: autoUpdater,
    version: app.getVersion(),
    show: async (options) => (await showMessageBox({ ...options, signal })).response,
    failed: (error) => log.warn({ err: error }, 'an update could not be offered'),
  });
  const timer = setInterval(() => void look(), daily);
  signal.addEventListener('abort', () => clearInterval(timer));
  await look();
}
