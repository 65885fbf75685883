import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyPluginCallback } from 'fastify';
import { createTransfers } from '../data/transfers.ts';
import { buildPublicApp } from '../http/app.ts';
import { offRoutes } from '../http/off-routes.ts';
import { postsBeingRead } from '../posts/file-reading.ts';
import { lockFolder, type FolderLock } from '../storage/folder-lock.ts';
import { verifiedRoot } from '../storage/held-folders.ts';
import { allHandlers } from './calls.ts';
import { afterSettings } from './consequences.ts';
import { type Foundation, openFoundation } from './foundation.ts';
import { createOwnerApi } from './owner-api.ts';
import { openParts, type Parts } from './parts.ts';
import { passingProblems } from './problems.ts';
import { RunningService } from './running.ts';
import type { Service, ServiceOptions } from './service.ts';
import { statusOf } from './status.ts';
import { visitorCosts } from './visiting.ts';

/** How long a start waits for the reading of posts from their files, in ms. */
const readingPatienceMs = 2000;

/**
 * Opens and connects all parts of the service. When the promise resolves, secrets and documents are open and nothing
 * listens yet.
 * @throws PorchlightError with a message for the owner: the folder is in use, a file has a newer format, the keychain
 * is locked, and so on.
 */
export async function openApp(options: ServiceOptions): Promise<Service> {
  const lock = await lockFolder(options.dataDir);
  const { ending } = options;
  ending?.addEventListener('abort', () => void lock.markEnding());
  if (ending?.aborted) await lock.markEnding();
  try {
    options.logFile?.open(path.join(options.dataDir, 'logs'));
    if (lock.isNew) options.log.info(`Porchlight created the data folder ${options.dataDir}.`);
    return await wire(options, lock);
  } catch (error) {
    await options.logFile?.close();
    await lock.release();
    throw error;
  }
}

async function wire(options: ServiceOptions, lock: FolderLock): Promise<Service> {
  const { dataDir, log } = options;
  const foundation = await openFoundation(options, lock);
  const { news, disk } = foundation;
  const { hub, background } = foundation.early;
  const transfers = createTransfers({ dataDir, log });
  await transfers.sweep();
  const parts = await openParts(options, foundation, transfers);
  connectProblems(foundation, parts);
  /** Whether all posts are in the database. Until then, pages are refused, and the parts rest. */
  let isRead = false;
  connectPublicApp(options, foundation, parts, () => isRead);
  const status = () => statusOf(options, foundation, parts);
  followNews(foundation, parts, () => hub.emit('status.changed', status()));

  const readFiles = (): Promise<void> =>
    parts.publishing
      .readFiles()
      .catch((error: unknown) => log.warn({ err: error }, 'not all files of posts could be read'))
      .finally(() => (isRead = true));
  const filesRead = readFiles();
  // Most folders are read at once.
  await Promise.race([filesRead, pause(readingPatienceMs, undefined, { ref: false })]);
  news.on('repaired', () => {
    isRead = false;
    background(readFiles());
  });
  foundation.opened();
  const handlers = allHandlers(options, foundation, parts, status);
  const owner = createOwnerApi(handlers, hub, log, (error) => disk.failed(error));
  return new RunningService(options, { lock, foundation, parts, isRead: () => isRead, filesRead, owner });
}

function connectProblems(foundation: Foundation, parts: Parts): void {
  // Retries the work whose results could not be stored while the disk was full, and copies that could not be made.
  foundation.news.on('room', () => {
    foundation.work.wake();
    parts.data.checkCopies();
  });
  foundation.problems.connect(() => passingProblems(foundation, parts));
}

/** Builds the public app for the listener. `isRead`: whether all posts are in the database. */
function connectPublicApp(
  options: ServiceOptions,
  foundation: Foundation,
  parts: Parts,
  isRead: () => boolean,
): void {
  const { disk, isManagementToken } = foundation;
  const { activity, clock, log } = foundation.early;
  const {
    reaching,
    publishing,
    mentioning,
    signingIn,
    assistants,
    phones,
    selfTesting,
    cloudflare,
    mailbox,
  } = parts;
  const { indieAuth } = signingIn;

  const publicApp = (features: readonly FastifyPluginCallback[], requireData?: () => void) => {
    const isOff = requireData === undefined;
    return buildPublicApp({
      log,
      features,
      isDemo: options.web !== undefined,
      requireData,
      timing: options.timing,
      sendRest: publishing.site.sendRest,
      // While the server is off, pages can't load the owner's photo.
      ownerLook: () => publishing.site.look(isOff),
      proofKeys: () => mailbox.proofKeys(),
      closing: () => indieAuth.waitingRoom.wake(),
      failed: (error) => disk.failed(error),
      cost: visitorCosts({ access: indieAuth.access, isManagementToken, activity, log, clock }),
    });
  };
  /** @throws PorchlightError `storage_gone`; RetryLater (503) while posts are being read */
  function mayAnswer(): void {
    verifiedRoot(options.dataDir);
    if (!isRead()) throw postsBeingRead();
  }

  reaching.connect({
    build: () =>
      publicApp(
        [
          ...publishing.routes,
          ...mentioning.routes,
          ...signingIn.routes,
          ...assistants.routes,
          ...phones.routes,
          selfTesting.routes,
        ],
        mayAnswer,
      ),
    buildOff: () => publicApp([offRoutes]),
    tunnelPort: () => cloudflare.tunnelPort(),
    reaches: selfTesting.answers,
  });
}

/** Tells the parts about changes of the status and of the settings. `told`: tells the windows. */
function followNews(foundation: Foundation, parts: Parts, told: () => void): void {
  const { news } = foundation;
  const { background, changed } = foundation.early;
  const { reaching, publishing, mentioning, selfTesting, folder, mailbox, data } = parts;
  news.on('status', () => {
    told();
    background(selfTesting.changed());
    background(reaching.followHome());
    mentioning.checkAddress();
    mailbox.follow();
  });
  news.on(
    'patch',
    afterSettings(background, {
      status: () => changed(),
      mailboxPages: () => mailbox.siteChanged(),
      tunnel: () => reaching.tunnelControl.follow(),
      weeklyBackup: () => data.checkCopies(),
      folder: ({ siteFolder }) => siteFolder && folder.settingsChanged(siteFolder),
      redirects: () => folder.targetsChanged(),
      mailboxSite: () => mailbox.siteMoved(),
      sitePhoto: () => publishing.site.copyPhoto(),
    }),
  );
}
