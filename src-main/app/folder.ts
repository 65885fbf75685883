import type { Common } from '../http/common.ts';
import type { EventEmitter } from 'node:events';
import type { SettingsPatch } from '../contract/settings.ts';
import { lostFiles } from '../media/check-media.ts';
import { createUnsaved } from '../sign-in/unsaved.ts';
import { createVersions } from '../storage/caches.ts';
import { closeToOthers, removeUnfinished } from '../storage/closed-to-others.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import { createActivity } from '../storage/records/activity.ts';
import { readKnown } from '../storage/records/known.ts';
import { openRecords } from '../storage/records/records.ts';
import type { Recovery } from '../storage/recovery.ts';
import { openReserve } from '../storage/reserve.ts';
import { watchDisk, watchUnreadable } from '../storage/storage-watch.ts';
import { restoreNews, takeRestore } from './keeping.ts';
import { createOwnerNews, createProblems, mediaLostNews, recoveryNews, settingsLostNews } from './news.ts';
import type { ServiceOptions } from './service.ts';
import { hasSettings, writeInitialSettings } from './settings.ts';
import { recordTables, repairing } from './tables.ts';
import { unreadId, unreadNames, unreadNews } from './unread-files.ts';

/** What happens to the folder and to the settings, for the parts that must follow it. */
export type FolderNews = EventEmitter<{
  status: [];
  settings: [];
  patch: [SettingsPatch];
  full: [unknown];
  room: [];
  repaired: [];
}>;

interface FolderDeps extends Pick<Common, 'clock' | 'hub' | 'background'> {
  readonly lock: FolderLock;
  readonly news: FolderNews;
}

/**
 * Opens the data folder, after any pending restore: its database, what watches its disk, and what tells the owner about
 * losses.
 */
export async function openFolder(
  options: ServiceOptions,
  { lock, clock, hub, background, news }: FolderDeps,
) {
  const { dataDir, log } = options;
  const changed = (): void => void news.emit('status');
  // Before the contents are read or moved: until the folder is closed, other users may reach them.
  const closed = await closeToOthers(dataDir);
  const unreadable = watchUnreadable({ dir: dataDir, changed });
  const recovered: Recovery[] = [];
  const taken = await takeRestore(dataDir, recovered);
  if (!lock.wasReleased) await removeUnfinished(dataDir);
  const found = [...(options.problems ?? []), ...closed.problems];
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
  const unsaved = createUnsaved(changed, (error) => disk.failed(error));
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

  return {
    closed,
    unreadable,
    taken,
    reserve,
    disk,
    unsaved,
    versions,
    records,
    activity,
    ownerNews,
    problems,
    onRecovered,
    /** Says that all parts are open, and that the owner's calls and visitors may come. */
    opened: (): void => void (isOpen = true),
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
