import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyPluginCallback } from 'fastify';
import type { Handlers } from '../contract/contract.ts';
import { hasBridgyFed } from '../contract/posts.ts';
import type { Status } from '../contract/status.ts';
import { buildPublicApp } from '../http/app.ts';
import { offRoutes } from '../http/off-routes.ts';
import { openCloudflare } from './cloudflare.ts';
import { notLiveYet, withAdopted } from './adopted-mentions.ts';
import type { Common } from '../http/common.ts';
import { afterSettings } from './consequences.ts';
import { openFoundation } from './foundation.ts';
import { createIdentifying } from './identifying.ts';
import { openKeeping } from './keeping.ts';
import { openMailbox } from '../mailbox/part.ts';
import { postsBeingRead } from '../posts/file-reading.ts';
import { openMentioning } from '../mentions/part.ts';
import { appNameIn, createAppActivity } from '../sign-in/owner.ts';
import { createMentionActivity } from '../mentions/mention-activity.ts';
import { createTransfers } from '../data/transfers.ts';
import { createOwnerApi } from './owner-api.ts';
import { secretHandlers } from '../sign-in/secrets.ts';
import { statusHandlers, statusOf } from './status.ts';
import { supportHandlers } from './support.ts';
import { openPublishing } from './publishing.ts';
import { openReaching } from '../address/part.ts';
import { openSelfTesting } from '../address/part-self-test.ts';
import { keyLostNews } from './news.ts';
import type { Service, ServiceOptions } from './service.ts';
import { openSiteFolder } from '../site-folder/part.ts';
import { openSigningIn } from '../sign-in/part.ts';
import { lockFolder, type FolderLock } from '../storage/folder-lock.ts';
import { verifiedRoot } from '../storage/held-folders.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import { visitorCosts } from './visiting.ts';

/**
 * How long the parts of the service may use the keychain while they stop, in ms. Together with the 2 s that the keychain
 * gets for a running call, it has to fit into the 5 s that both programs have for their end.
 */
const keychainPatienceMs = 1500;
/** How long a start waits for the reading of posts from their files, in ms. */
const readingPatienceMs = 2000;
/** How long the last attempt to save revocations, blocks and deletions may take, in ms. */
const lastAttemptMs = 500;
const crashWords =
  'Porchlight or the computer stopped without warning. It is running again with everything that was saved.';

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
  const { dataDir, log, version, logFile, desktop } = options;
  const foundation = await openFoundation(options, lock);
  const { early, news, settings, secrets, managementToken, isManagementToken, gate, problems } = foundation;
  const { fetching, timing, reading, pictures, unreadable, disk, unsaved, ownerNews } = foundation;
  const { clock, hub, background, changed, activity } = early;
  const transfers = createTransfers({ dataDir, log });
  await transfers.sweep();
  const isDemo = options.web !== undefined;
  const reaching = await openReaching({ ...early, gate, settings, options: options });
  const { base, listener, tunnel } = reaching;
  const identifying = createIdentifying({
    ...early,
    pictures,
    settings,
    base,
    readProfile: reading.profile,
    changed: (patch) => news.emit('patch', patch),
  });
  const { profile } = identifying;
  const common: Common = { ...early, base, profile };
  news.on('settings', () => hub.emit('settings.changed', identifying.settings()));
  // Kept for later starts, if it can be saved.
  const { me } = options;
  if (me !== undefined && me !== settings.get().profile.me)
    await settings.update({ profile: { me } }).catch((error: unknown) => {
      if (!isDiskFailure(error)) throw error;
      disk.failed(error);
    });
  const signingIn = await openSigningIn({
    ...common,
    pictures,
    unsaved,
    readClient: reading.client,
    settings: () => settings.get().signIn,
    keyLost: () => ownerNews.add(keyLostNews),
  });
  const { indieAuth } = signingIn;
  const mentioning = openMentioning({
    ...common,
    pictures,
    isManagementToken,
    reading: reading.mentions,
    readLinks: reading.documents.posts('site').links,
    arrivals: createMentionActivity(gate),
    notYet: notLiveYet,
    ownerLooked: () => ownerNews.dismissAll('mentions_held'),
    settings: () => ownerNews.heldBack(settings.get().webmention),
    folderSite: () => settings.get().siteFolder.baseUrl,
    targets: () => settings.get().micropub.syndicateTo.map(({ uid }) => uid),
  });
  const isBridged = () => hasBridgyFed(settings.get().micropub.syndicateTo);
  const folder = openSiteFolder({
    ...common,
    readPage: reading.isLive,
    parsing: reading.documents,
    settings: () => settings.get().siteFolder,
    isBridged,
    isRestored: foundation.isRestored,
  });
  const publishing = openPublishing({
    ...common,
    transfers,
    pictures,
    mentioning,
    folder,
    photo: identifying.photo,
    readCited: reading.cited,
    parsing: reading.documents,
    settings: () => settings.get(),
    async replacePages(pages) {
      await settings.update({ site: { pages } });
      news.emit('patch', { site: { pages } });
    },
    authorize: (request, bodyToken) => indieAuth.access.of(request, { bodyToken }),
    appName: (grantId) => appNameIn(indieAuth.grants, grantId),
    apps: createAppActivity(gate, base, clock),
  });
  mentioning.connect({
    isPublicPage: publishing.site.isPublicPage,
    posts: publishing.posts,
    senders: withAdopted(publishing.posts, folder.adopted, reading.documents.markdown('site')),
    mayLeave: (path) => !folder.isWaiting(path),
    storeCopy: publishing.storeCopy,
  });
  foundation.afterRestore.connect({
    posts: publishing.posts,
    derive: (lacking) => publishing.derive(lacking),
  });
  const selfTesting = await openSelfTesting({
    ...common,
    readRels: reading.rels,
    readProfile: reading.profile,
    bridge: () => {
      const { siteFolder, site } = settings.get();
      const { name, photo } = profile();
      return {
        home: siteFolder.on ? siteFolder.baseUrl : base(),
        own: siteFolder.on ? null : { name, hasPhoto: photo !== '' || site.photo !== '' },
        redirectsFile: folder.redirectsFile,
      };
    },
    present: () => ({
      on: listener.state.kind === 'on',
      tunnel: tunnel(),
      mediaLimitBytes: settings.get().micropub.mediaLimitBytes,
      me: profile().me,
    }),
    port: () => listener.port,
  });
  fetching.connect({ base, ownAddresses: selfTesting.ownAddresses });
  const keeping = await openKeeping({
    ...common,
    transfers,
    desktop,
    publishing,
    mentions: mentioning.mentions,
    makeContent: reading.documents.posts('owner').content,
    settings: () => settings.get(),
  });
  const mailbox = openMailbox({
    ...common,
    listener,
    mentioning,
    posts: publishing.posts,
    requestKept: (...request) => publishing.site.websub.requestKept(...request),
    settings: () => settings.get(),
    isReachable: () => reaching.tunnelControl.mode() === 'off' || tunnel().state === 'connected',
  });
  publishing.connect(mailbox);
  const cloudflare = await openCloudflare({
    ...common,
    settings,
    reaching,
    mailbox,
    fixedBase: options.baseUrl,
  });
  // Retries the work whose results could not be stored while the disk was full, and copies that could not be made.
  news.on('room', () => {
    foundation.work.wake();
    keeping.checkCopies();
  });
  problems.connect({
    clockWatch: foundation.clockWatch,
    disk,
    unsaved,
    unreadable,
    files: publishing.filesFound,
    clockJump: () => timing.problem(),
    folder: () => folder.problem(),
    mailbox: () => mailbox.problem(),
    keeping: () => keeping.problems(),
  });

  /** Whether all posts are in the database. Until then, pages are refused, and the parts rest. */
  let isRead = false;

  const publicApp = (features: readonly FastifyPluginCallback[], requireData?: () => void) => {
    const isOff = requireData === undefined;
    return buildPublicApp({
      log,
      features,
      isDemo,
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
  reaching.connect({
    build: () =>
      publicApp([...publishing.routes, ...mentioning.routes, ...signingIn.routes, selfTesting.routes], () =>
        mayAnswer(),
      ),
    buildOff: () => publicApp([offRoutes]),
    tunnelPort: () => cloudflare.tunnelPort(),
    reaches: selfTesting.answers,
  });

  /** @throws PorchlightError `storage_gone`; RetryLater (503) while posts are being read */
  function mayAnswer(): void {
    verifiedRoot(dataDir);
    if (!isRead) throw postsBeingRead();
  }

  const status = (): Status =>
    statusOf({
      listener,
      base,
      tunnel,
      profile,
      version,
      tunnelMode: () => reaching.tunnelControl.mode(),
      secrets: secrets.kind,
      flags: { baseUrl: options.baseUrl !== undefined, tunnel: options.tunnel ?? null },
      waitingRoom: indieAuth.waitingRoom,
      problems: () => problems.list(),
      indexing: () => publishing.posts.progress(),
      demo: isDemo,
    });
  news.on('status', () => {
    hub.emit('status.changed', status());
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
      weeklyBackup: () => keeping.checkCopies(),
      folder: ({ siteFolder }) => siteFolder && folder.settingsChanged(siteFolder),
      redirects: () => folder.targetsChanged(),
      mailboxSite: () => mailbox.siteMoved(),
      sitePhoto: () => publishing.site.copyPhoto(),
    }),
  );
  const handlers: Handlers = {
    ...statusHandlers({
      listener,
      status,
      activity,
      news: ownerNews,
      tunnel: reaching.tunnelControl,
      keepPort: reaching.keepPort,
    }),
    ...identifying.handlers,
    ...secretHandlers({ token: managementToken, activity }),
    ...signingIn.handlers,
    ...reaching.tunnelControl.handlers,
    ...selfTesting.handlers,
    ...publishing.handlers,
    ...mentioning.handlers,
    ...keeping.handlers,
    ...cloudflare.handlers,
    ...mailbox.handlers,
    'activity.list': (page) => activity.list(page),
    ...supportHandlers({
      dataDir,
      clock,
      status,
      secrets,
      tunnel,
      settings: () => settings.get(),
      lastCheck: selfTesting.last,
      counts: () => ({
        'Signed-in apps': indieAuth.grants.list().filter(({ signedOutAt }) => signedOutAt === undefined)
          .length,
      }),
      logTail: () => logFile?.tail() ?? Promise.resolve('There is no log file.'),
    }),
  };

  const readFiles = (): Promise<void> =>
    publishing
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

  // Whether the service is stopping. `start`, `wake` and `sleep` check this, because no work may begin once the data
  // folder is unlocked. The owner may quit during startup, or the computer may wake up during shutdown.
  let isStopped = false;
  let lost: string | undefined;

  /** Tries once more to save the revocations that aren't on disk. If that fails, tells the owner what is lost. */
  async function saveRevocations(): Promise<void> {
    const retried = unsaved
      .retry()
      .catch((error: unknown) => log.warn({ err: error }, 'not everything was saved'));
    await Promise.race([retried, pause(lastAttemptMs, undefined, { ref: false })]);
    const words = unsaved.lossWords();
    if (words === undefined || words === lost) return;
    lost = words;
    log.error(words);
    options.lost?.(words);
  }

  /** Starts the parts that work with the posts. */
  function startParts(): void {
    if (isStopped) return;
    background(mailbox.start());
    foundation.work.start();
    background(publishing.start());
    background(mentioning.start());
    background(keeping.start());
    background(publishing.lookAtFiles());
    // Runs in the background, because an owner's site that can't be read must not prevent startup.
    background(identifying.start(), 'Porchlight could not read your name and photo from your domain.');
  }

  return {
    owner: createOwnerApi({ handlers, hub, log, failed: (error) => disk.failed(error) }),
    report: (problem) => {
      if (problems.add(problem)) changed();
    },
    transfers,

    async start() {
      await reaching.start();
      if (isStopped) return;
      if (lock.isCrash) background(activity.record('server.crashed', crashWords));
      foundation.start();
      background(cloudflare.start());
      if (isRead) startParts();
      else background(filesRead.then(startParts));
    },

    wake() {
      if (isStopped) return;
      timing.check();
      publishing.checkDates();
      indieAuth.waitingRoom.expireOverdue();
      background(reaching.wake());
      background(selfTesting.wake());
      foundation.work.wake();
      mentioning.wake();
      keeping.checkCopies();
      mailbox.wake();
      publishing.site.websub.wake();
    },

    async sleep() {
      if (!isStopped) await mailbox.sleep();
    },

    async stop() {
      isStopped = true;
      // First, because the parts below may need all of the time for the end.
      await saveRevocations();
      selfTesting.stop();
      // The copies in the mailbox are made from this server's own responses, so the listener must still be open.
      await mailbox.flush();
      // Stop the mailbox part first. If the listener stopped first, the mailbox would report that the owner turned the
      // server off.
      const parts = Promise.all([mailbox.stop(), cloudflare.stop(), reaching.stop(), keeping.stop()]);
      await Promise.race([parts, pause(keychainPatienceMs, undefined, { ref: false })]);
      // A part may still be waiting for a keychain that doesn't respond. Closing the keychain ends that wait.
      await Promise.all([parts, secrets.close()]);
      // The listener is closed, so nothing else can end now.
      await saveRevocations();
      indieAuth.waitingRoom.close();
      folder.interrupt();
      const workStopped = foundation.work.stop();
      await publishing.interrupt();
      // Strangers' pictures may take long to decode. Those that still wait are fetched again after the next start.
      await pictures.close();
      await workStopped;
      await publishing.stop();
      await mentioning.stop();
      await gate.close();
      disk.stop();
      // Store when each app was last used. `background` only logs an error, so a disk that accepts no writes can't
      // prevent the shutdown. `foundation.close` waits until this is done.
      background(indieAuth.grants.flush());
      await foundation.close();
      await logFile?.close();
      await lock.release();
    },
  };
}
