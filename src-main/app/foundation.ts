import { EventEmitter } from 'node:events';
import type { SettingsPatch } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import { keepAnswers } from '../http/kept-answers.ts';
import { createAfterRestore } from './restoring.ts';
import type { Common } from '../http/common.ts';
import { openFetching } from './fetching.ts';
import { finishRestore, restoredWords, restoreNews, takeRestore } from './keeping.ts';
import { recordTables, repairing } from './tables.ts';
import { createActivity } from '../storage/records/activity.ts';
import { createEventHub } from '../contract/contract.ts';
import { createFloodGate } from '../platform/flood-gate.ts';
import { createOwnerNews, mediaLostNews, recoveryNews, settingsLostNews, unreadableWork } from './news.ts';
import { createProblems } from './status.ts';
import { openManagementToken } from '../sign-in/secrets.ts';
import { createUnsaved } from '../sign-in/unsaved.ts';
import { hasSettings, openSettings, writeInitialSettings } from './settings.ts';
import { inBackground } from '../platform/log.ts';
import { systemClock } from '../platform/clock.ts';
import { createPictures } from '../untrusted/pictures/pictures.ts';
import { lostFiles } from '../media/check-media.ts';
import { openKeychain, openSecretsFile, sameText, type Secrets, secretsFileIn } from '../platform/secrets.ts';
import { openReading } from './reading.ts';
import type { ServiceOptions } from './service.ts';
import { closeToOthers, removeUnfinished } from '../storage/closed-to-others.ts';
import { documentsIn } from '../storage/document.ts';
import { watchDisk, watchUnreadable } from '../storage/storage-watch.ts';
import { createVersions } from '../storage/caches.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import { readKnown } from '../storage/records/known.ts';
import { openRecords } from '../storage/records/records.ts';
import { openReserve } from '../storage/reserve.ts';
import { openWork } from '../storage/work/work.ts';
import type { Recovery } from '../storage/recovery.ts';
import { readingRefusals } from './visiting.ts';
import { unreadId, unreadNames, unreadNews } from './unread-files.ts';
import { openTiming } from './timing.ts';

/**
 * Opens the foundation of the service: the data folder (after any pending restore), its documents, index and secrets,
 * the settings, the clock and the network.
 * @throws the same errors as `openApp`
 */
export async function openFoundation(options: ServiceOptions, lock: FolderLock) {
  const { dataDir, log, allowPrivateFetch: allowPrivate, version } = options;
  const clock = options.clock ?? systemClock;
  const hub = createEventHub((error) => log.warn({ err: error }, 'a window could not be told'));
  const background = inBackground(log);
  const news = new EventEmitter<{
    status: [];
    settings: [];
    patch: [SettingsPatch];
    full: [unknown];
    room: [];
    repaired: [];
  }>();
  const changed = (): void => void news.emit('status');

  // Before the contents are read or moved: until the folder is closed, other users may reach them.
  const closed = await closeToOthers(dataDir);
  const unreadable = watchUnreadable({ dir: dataDir, changed });
  const recovered: Recovery[] = [];
  const taken = await takeRestore(dataDir, recovered);
  if (!lock.wasReleased) await removeUnfinished(dataDir);
  const found = [...(options.problems ?? []), ...closed.problems];
  const ending = new AbortController();
  let isOpen = false;

  const reserve = openReserve(dataDir, (error) => void news.emit('full', error));
  const disk = watchDisk({
    dir: dataDir,
    changed,
    checkMs: options.diskCheckMs,
    first: () => (reserve.isReleased ? reserve.make() : Promise.resolve()),
    recovered: () => news.emit('room'),
  });
  news.on('full', (error) => disk.failed(error));
  const unsaved = createUnsaved({ changed, failed: (error) => disk.failed(error) });
  const makeReserve = (): Promise<void> => reserve.make().catch((error: unknown) => disk.failed(error));
  // If an earlier run gave it back, nothing else may be written before.
  if (reserve.isReleased) await makeReserve();
  else background(makeReserve());
  const writeSettings = (): Promise<void> =>
    writeInitialSettings(dataDir).catch((error: unknown) =>
      log.warn({ err: error }, 'settings.json can’t be written'),
    );
  const areSettingsLost = await settingsLost(dataDir, writeSettings);
  if (lock.refusal) disk.failed(lock.refusal);
  const versions = createVersions();
  const records = await openRecords({
    dir: dataDir,
    tables: recordTables,
    log,
    recordRepair: repairing(clock).record,
    renewed: () => news.emit('repaired'),
    isServiceOpen: () => isOpen,
    unwritable: (reason) => disk.failed(reason),
  });
  disk.connect(records);
  const activity = createActivity({
    records,
    hub,
    clock,
    lost: (error) => log.warn({ err: error }, 'an activity entry could not be written'),
  });
  const ownerNews = createOwnerNews({
    records,
    hub,
    clock,
    changed,
    failed: (error) => log.warn({ err: error }, 'what was lost could not be written down'),
  });
  await records.whenSound(() => ownerNews.load());
  news.on('room', () => background(ownerNews.retry()));
  news.on('room', () => background(unsaved.retry()));
  news.on('room', () => background(makeReserve()));
  news.on('repaired', () => {
    background(unsaved.retry());
    ownerNews.load();
    versions.allChanged();
  });
  const problems = createProblems(found, ownerNews);
  /** Tells the owner once about the files of earlier versions that aren't read any more. */
  async function tellUnread(): Promise<void> {
    const names = await unreadNames(dataDir);
    if (names.length === 0 || (await records.whenSound(() => ownerNews.wasTold(unreadId(names))))) return;
    const item = await unreadNews(dataDir, names);
    log.info(item.message);
    await ownerNews.add(item);
  }
  const onRecovered = (recovery: Recovery): Promise<void> => ownerNews.add(recoveryNews(recovery));
  for (const item of [...restoreNews(taken), ...recovered.map(recoveryNews)]) await ownerNews.add(item);
  background(tellUnread());
  const files = await records.whenSound(() => lostFiles(dataDir, records)).catch(() => 0);
  if (files > 0) await ownerNews.add(mediaLostNews(files));
  if (areSettingsLost) {
    await ownerNews.add(settingsLostNews);
    await writeSettings();
  }
  const documents = documentsIn(dataDir, onRecovered);
  news.on('settings', () => versions.changed('profile'));
  const settings = await openSettings({
    documents,
    allowLoopbackMe: allowPrivate,
    changed: () => news.emit('settings'),
  });
  const fetching = openFetching({
    version,
    clock,
    allowPrivate,
    changed,
    web: options.web,
    settings: () => settings.get(),
  });
  const { fetch, clockWatch } = fetching;
  const timing = await openTiming({
    documents,
    wall: clock,
    changed,
    background,
    steady: options.steady ?? (() => performance.now()),
    // The demo and tests make the clock jump intentionally, so they always trust it.
    watch: options.clock && !options.steady ? { agrees: () => true } : clockWatch,
  });
  const kept = keepAnswers({ versions, now: timing.now });
  const work = await openWork({
    records,
    log,
    now: timing.now,
    online: fetching.online,
    setAside: (kind) => background(ownerNews.add(unreadableWork(kind))),
  });
  const afterRestore = createAfterRestore(work, timing.now);
  if (taken?.outcome === 'restored')
    await afterRestore
      .begin()
      .catch((error: unknown) => log.warn({ err: error }, 'what posts lack could not be queued'));
  const secrets = await openSecrets(options, (keptAt) => problems.add(secretsLost(keptAt)));
  if (taken) await finishRestore(dataDir, taken, secrets);
  const managementToken = await openManagementToken(secrets, unsaved);
  const isManagementToken = (text: string) => sameText(text, managementToken.value);
  if (taken?.outcome === 'restored') await activity.record('data.restored', restoredWords(taken.pending));
  const gate = createFloodGate({
    clock,
    record: (kind, words) => activity.record(kind, words),
    failed: (error) => log.warn({ err: error }, 'what happened could not be written down'),
  });
  const refused = readingRefusals({ activity, log, clock });
  const pictures = createPictures({ log, clock, overBudget: refused });
  const reading = openReading({ clock, refused });

  const early: Omit<Common, 'base' | 'profile'> = {
    dataDir,
    version,
    documents,
    versions,
    records,
    work,
    kept,
    onRecovered,
    log,
    clock: timing.now,
    hub,
    activity,
    fetch,
    reached: fetching.reached,
    secrets,
    allowPrivate,
    background,
    changed,
  };

  return {
    early,
    news,
    ownerNews,
    settings,
    secrets,
    managementToken,
    isManagementToken,
    /** Whether this start took the data of a backup. */
    isRestored: taken?.outcome === 'restored',
    gate,
    fetching,
    work,
    pictures,
    afterRestore,
    clockWatch,
    timing,
    reading,
    problems,
    unreadable,
    disk,
    unsaved,

    /** Says that all parts are open, and that the owner's calls and visitors may come. */
    opened: (): void => void (isOpen = true),

    /** Starts the background work of the foundation. Call it once the server is on. */
    start: (): void => background(closed.closeContents(ending.signal)),

    /**
     * Closes the foundation. Call it after closing all other parts, the secrets and the pictures. Waits for the
     * background work that was passed to `background`.
     */
    async close(): Promise<void> {
      ending.abort();
      unreadable.stop();
      await fetching.close();
      await reading.close();
      background(timing.stop());
      await background.finished();
      await records.close();
      await reserve.close();
    },
  };
}

/**
 * Finds out whether settings.json was lost. Writes it in a new folder, before known.json, and in one that had neither.
 */
async function settingsLost(dir: string, write: () => Promise<void>): Promise<boolean> {
  if (await hasSettings(dir)) return false;
  if ((await readKnown(dir)) !== undefined) return true;
  await write();
  return false;
}

/** Returns the problem of a secrets file that was damaged. `keptAt`: where it is now. */
function secretsLost(keptAt: string): Problem {
  return {
    code: 'secrets_lost',
    message: `The file with the secrets was damaged, so Porchlight made new keys. Apps have to sign in again, and you enter tokens, such as the one of your tunnel, again. If you have a copy of secrets.json, quit Porchlight and put it into the data folder. Or restore a backup with a passphrase. The damaged file is “${keptAt}”.`,
  };
}

function openSecrets(
  { secrets, secretService, dataDir }: ServiceOptions,
  damaged: (keptAt: string) => void,
): Promise<Secrets> {
  return secrets === 'keychain'
    ? openKeychain({ service: secretService })
    : openSecretsFile({ file: secretsFileIn(dataDir), damaged });
}
