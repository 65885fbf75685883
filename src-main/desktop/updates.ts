import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../platform/log.ts';
import { showMessageBox } from './message-box.ts';
import { createOffers, restrain } from './update-offer.ts';

/** Milliseconds between two checks. */
const daily = 24 * 60 * 60 * 1000;

/**
 * Checks for newer versions, now and daily, if the package contains a feed (PORCHLIGHT_UPDATE_FEED at build time).
 * Without a feed, there is nothing to check. Updating never changes the login item. Returns a function to call when the
 * app quits.
 */
export function startUpdates(log: Log): () => void {
  const ending = new AbortController();
  const hasFeed = app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
  // An error in updating must not end the app.
  if (hasFeed) lookDaily(ending.signal, log).catch((error: unknown) => log.warn({ err: error }, 'updates'));
  return () => ending.abort();
}

async function lookDaily(signal: AbortSignal, log: Log): Promise<void> {
  // Loaded only here, because an app without a feed does not need it.
  const { autoUpdater } = await import('electron-updater');
  // Results and failures go only to the log: being offline is not worth a message.
  autoUpdater.logger = log;
  restrain(autoUpdater);
  // Only https, whatever the feed and its redirects say.
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
