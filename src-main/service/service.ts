import { EventEmitter } from 'node:events';
import path from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { Handlers, OwnerApi } from '../contract/contract.ts';
import type { SettingsPatch } from '../contract/settings.ts';
import type { Status } from '../contract/status.ts';
import { buildPublicApp } from '../http/app.ts';
import { keepAnswers } from '../http/kept-answers.ts';
import { offRoutes } from '../http/off-routes.ts';
import type { Common } from './common.ts';
import { openFetching } from './fetching.ts';
import { createIdentifying } from './identifying.ts';
import { finishRestore, openKeeping, restoredWords, restoreProblems, takeRestore } from './keeping.ts';
import { indexParts } from './index-parts.ts';
import { openMentioning } from './mentioning.ts';
import { activityCodec, createActivity } from '../owner/activity.ts';
import { createAppActivity } from '../owner/app-activity.ts';
import { appNameIn } from '../owner/apps.ts';
import { createEventHub } from '../owner/event-hub.ts';
import { createFloodGate } from '../owner/flood-gate.ts';
import { createMentionActivity } from '../owner/mention-activity.ts';
import { createOwnerApi } from '../owner/owner-api.ts';
import { createProblems } from '../owner/problems.ts';
import { openManagementToken, secretHandlers } from '../owner/secrets.ts';
import { openSettings } from '../owner/settings.ts';
import { statusHandlers, statusOf } from '../owner/status.ts';
import { supportHandlers } from '../owner/support.ts';
import { inBackground } from '../platform/background.ts';
import { systemClock } from '../platform/clock.ts';
import { createPictures } from '../platform/pictures.ts';
import { sameText } from '../platform/secret-text.ts';
import { openKeychain } from '../platform/keychain.ts';
import { openSecretsFile, secretsFileIn } from '../platform/secrets-file.ts';
import type { Secrets } from '../platform/secrets.ts';
import { openPublishing } from './publishing.ts';
import { openReaching } from './reaching.ts';
import { openReading } from './reading.ts';
import { openSelfTesting } from './self-testing.ts';
import type { ServiceOptions } from './service-options.ts';
import { openSiteFolder } from './site-folder.ts';
import { openSigningIn } from './signing-in.ts';
import { closeToOthers } from '../storage/closed-to-others.ts';
import { documentsIn } from '../storage/data-documents.ts';
import { watchDisk } from '../storage/disk-watch.ts';
import { indexName, openIndex } from '../storage/index/index-database.ts';
import { lockFolder, type FolderLock } from '../storage/folder-lock.ts';
import { verifiedRoot } from '../storage/held-folders.ts';
import type { Recovery } from '../storage/recovery.ts';
import { removeUnfinished } from '../storage/unfinished-files.ts';
import { watchUnreadable } from '../storage/unreadable-files.ts';
import { readingRefusals, visitorCosts } from './visiting.ts';
import { openTiming } from './timing.ts';

/** The running service, as the entry points see it. */
export interface Service {
  /** Turns the server on. Does not throw if the port is in use: the status reports it. */
  start(): Promise<void>;
  /** Resumes pending work and expires overdue sign-ins, because the computer woke or its network changed. */
  wake(): void;
  /** Finishes running work, writes pending data and unlocks the data folder. */
  stop(): Promise<void>;
  readonly owner: OwnerApi;
}

const crashWords =
  'Porchlight or the computer stopped without warning. It is running again with everything that was saved.';

/**
 * Wires the whole service. When the promise resolves, secrets and documents are open and nothing listens yet.
 * @throws PorchlightError with a message for the owner: the folder is in use, a file has a newer format, the keychain
 * is locked, and so on.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const lock = await lockFolder(options.dataDir);
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
  const { dataDir, log, allowPrivateFetch: allowPrivate, version, logFile, desktop } = options;
  const clock = options.clock ?? systemClock;
  const isDemo = options.web !== undefined;
  const hub = createEventHub((error) => log.warn({ err: error }, 'a window could not be told'));
  const tell = inBackground(log);
  const news = new EventEmitter<{ status: []; settings: []; patch: [SettingsPatch] }>();
  const changed = (): void => void news.emit('status');

  const unreadable = watchUnreadable({ dir: dataDir, changed });
  const recovered: Recovery[] = [];
  const taken = await takeRestore(dataDir, recovered);
  if (!lock.wasReleased) await removeUnfinished(dataDir);
  const problems = createProblems([
    ...(options.problems ?? []),
    ...(await closeToOthers(dataDir)),
    ...restoreProblems(taken),
  ]);
  const { onRecovered } = problems;
  recovered.forEach(onRecovered);

  const documents = documentsIn(dataDir, onRecovered);
  const index = openIndex(path.join(dataDir, indexName), indexParts, changed);
  const kept = keepAnswers({ versions: index.versions, now: clock });
  news.on('settings', () => index.versions.changed('profile'));
  const settings = await openSettings({
    documents,
    allowLoopbackMe: allowPrivate,
    changed: () => news.emit('settings'),
  });
  const fetching = openFetching({
    ...{ version, clock, allowPrivate, changed, web: options.web, settings: () => settings.get() },
  });
  const { fetch, clockWatch } = fetching;
  const timing = await openTiming({
    ...{ documents, wall: clock, changed, tell },
    steady: options.steady ?? (() => performance.now()),
    // The clock of the demo or a test jumps intentionally, so its time is always trusted.
    watch: options.clock && !options.steady ? { agrees: () => true } : clockWatch,
  });
  const secrets = await openSecrets(options);
  if (taken) await finishRestore(dataDir, taken, secrets);
  const managementToken = await openManagementToken(secrets);
  const isManagementToken = (text: string) => sameText(text, managementToken.value);
  const activityLog = documents.log('activity', activityCodec);
  const activity = createActivity({ log: activityLog, hub, clock });
  if (taken?.outcome === 'restored') await activity.tell('data.restored', restoredWords(taken.pending));
  const gate = createFloodGate({
    clock,
    tell: (kind, words) => activity.tell(kind, words),
    failed: (error) => log.warn({ err: error }, 'what happened could not be written down'),
  });
  const refused = readingRefusals({ activity, log, clock });
  const pictures = createPictures({ log, clock, overBudget: refused });
  const reading = openReading({ clock, refused });

  const early: Omit<Common, 'base' | 'profile'> = {
    ...{
      dataDir,
      version,
      documents,
      index,
      kept,
      onRecovered,
      log,
      clock,
      hub,
      activity,
      fetch,
      pictures,
      secrets,
    },
    ...{ allowPrivate, tell, changed },
  };
  const reaching = await openReaching({ ...early, gate, settings, told: options });
  const { base, listener, tunnel } = reaching;
  const identifying = createIdentifying({
    ...{ ...early, settings, base, readProfile: reading.profile },
    changed: (patch) => news.emit('patch', patch),
  });
  const { profile } = identifying;
  const common: Common = { ...early, base, profile };
  /** For parts that take actions that cannot be undone. */
  const careful: Common = { ...common, clock: timing.now };
  news.on('settings', () => hub.emit('settings.changed', identifying.settings()));
  if (options.me !== undefined) await settings.update({ profile: { me: options.me } });
  const signingIn = await openSigningIn({
    ...{ ...careful, readClient: reading.client },
    settings: () => settings.get().signIn,
  });
  const { indieAuth } = signingIn;
  const mentioning = await openMentioning({
    ...{ ...careful, isManagementToken, reading: reading.mentions },
    arrivals: createMentionActivity(gate),
    settings: () => settings.get().webmention,
    folderSite: () => settings.get().siteFolder.baseUrl,
  });
  const folder = await openSiteFolder({
    ...common,
    readPage: reading.isLive,
    settings: () => settings.get().siteFolder,
  });
  const publishing = openPublishing({
    ...{ ...common, mentioning, folder },
    photo: identifying.photo,
    readCited: reading.cited,
    settings: () => settings.get(),
    authorize: (request, bodyToken) => indieAuth.access.of(request, { bodyToken }),
    appName: (grantId) => appNameIn(indieAuth.grants, grantId),
    apps: createAppActivity(gate, base, clock),
  });
  mentioning.connect({
    isPublicPage: (url) => publishing.isPublicPage(url),
    posts: publishing.posts,
    mayLeave: (path) => !folder.isWaiting(path),
  });
  const selfTesting = await openSelfTesting({
    ...{ ...common, readRels: reading.rels },
    present: () => ({
      on: listener.state.kind === 'on',
      tunnel: tunnel(),
      mediaLimitBytes: settings.get().micropub.mediaLimitBytes,
      me: profile().me,
    }),
  });
  fetching.connect({ base, ownAddresses: selfTesting.ownAddresses });
  const keeping = await openKeeping({
    ...{ ...careful, desktop, publishing, mentions: mentioning.mentions },
    settings: () => settings.get(),
  });
  const disk = watchDisk({
    dir: dataDir,
    changed,
    // Retries the mentions that were postponed because the disk could not store them.
    recovered: () => tell(mentioning.processNow()),
  });
  problems.connect({
    clockWatch,
    disk,
    index,
    unreadable,
    clockJump: () => timing.problem(),
    folder: () => folder.problem(),
    keeping: () => keeping.problems(),
  });

  const publicApp = (features: readonly FastifyPluginCallback[], requireData?: () => void) =>
    buildPublicApp({
      ...{ log, features, isDemo, requireData, timing: options.timing },
      sendRest: publishing.sendRest,
      closing: () => indieAuth.waitingRoom.wake(),
      failed: (error) => disk.failed(error),
      cost: visitorCosts({ access: indieAuth.access, isManagementToken, activity, log, clock }),
    });
  reaching.connect({
    build: () =>
      publicApp([...publishing.routes, ...mentioning.routes, ...signingIn.routes, selfTesting.routes], () =>
        verifiedRoot(dataDir),
      ),
    buildOff: () => publicApp([offRoutes]),
    reaches: selfTesting.answers,
  });

  const status = (): Status =>
    statusOf({
      ...{ listener, base, tunnel, profile, version },
      wanted: () => reaching.wanted.mode(),
      secrets: secrets.kind,
      flags: { baseUrl: options.baseUrl !== undefined, tunnel: options.tunnel ?? null },
      waitingRoom: indieAuth.waitingRoom,
      problems: () => problems.list(),
      demo: isDemo,
    });
  news.on('status', () => {
    hub.emit('status.changed', status());
    tell(selfTesting.changed());
    tell(reaching.followHome());
  });
  news.on('patch', ({ backup, site, siteFolder }) => {
    changed();
    tell(reaching.wanted.follow());
    if (backup) keeping.look();
    if (siteFolder) tell(folder.settingsChanged(siteFolder));
    if (site?.photo !== undefined) tell(publishing.copySitePhoto());
  });
  const handlers: Handlers = {
    ...statusHandlers({ listener, status, activity, tunnel: reaching.wanted, keepPort: reaching.keepPort }),
    ...identifying.handlers,
    ...secretHandlers({ token: managementToken, activity }),
    ...signingIn.handlers,
    ...reaching.wanted.handlers,
    ...selfTesting.handlers,
    ...publishing.handlers,
    ...mentioning.handlers,
    ...keeping.handlers,
    'activity.list': (page) => activity.list(page),
    ...supportHandlers({
      ...{ dataDir, clock, status, secrets, tunnel },
      settings: () => settings.get(),
      lastCheck: selfTesting.last,
      counts: () => ({ 'Signed-in apps': indieAuth.grants.list().length }),
      logTail: () => logFile?.tail() ?? Promise.resolve('There is no log file.'),
    }),
  };

  // The owner may quit during startup, or the computer may wake during shutdown. Nothing may begin after the folder is
  // unlocked.
  let isStopped = false;

  return {
    owner: createOwnerApi({ handlers, hub, log, failed: (error) => disk.failed(error) }),

    async start() {
      await reaching.start();
      if (isStopped) return;
      if (lock.tookOver) tell(activity.tell('server.crashed', crashWords));
      tell(publishing.start());
      tell(mentioning.start());
      tell(keeping.start());
      tell(identifying.start()); // an unreadable page never prevents startup
    },

    wake() {
      if (isStopped) return;
      timing.look();
      indieAuth.waitingRoom.expireOverdue();
      tell(reaching.wake());
      tell(selfTesting.wake());
      mentioning.wake();
      keeping.look();
      tell(publishing.wake());
    },

    async stop() {
      isStopped = true;
      selfTesting.stop();
      await Promise.all([reaching.stop(), keeping.stop()]);
      indieAuth.waitingRoom.close();
      await publishing.stop();
      await mentioning.stop();
      await gate.close();
      // On closing, SQLite deletes its write-ahead log by path. If the data folder was moved, that path may now belong
      // to another folder, so the index stays open. An index that isn't closed is rebuilt.
      if (lock.isUnmoved()) index.close();
      disk.stop();
      unreadable.stop();
      await fetching.close();
      await pictures.close();
      await reading.close();
      // Stores when each app was last used, in the background: a disk that accepts no writes must not hold up shutdown.
      tell(indieAuth.grants.flush());
      tell(timing.stop());
      await tell.finished();
      await activityLog.close();
      await secrets.close();
      await logFile?.close();
      await lock.release();
    },
  };
}

function openSecrets({ secrets, secretService, dataDir }: ServiceOptions): Promise<Secrets> {
  return secrets === 'keychain'
    ? openKeychain({ service: secretService })
    : openSecretsFile({ file: secretsFileIn(dataDir) });
}
