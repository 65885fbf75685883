import { EventEmitter } from 'node:events';
import type { Problem } from '../contract/status.ts';
import { keepAnswers } from '../http/kept-answers.ts';
import { createAfterRestore } from './restoring.ts';
import type { Common } from '../http/common.ts';
import { openFetching } from './fetching.ts';
import { type FolderNews, openFolder } from './folder.ts';
import { finishRestore, restoredWords } from './keeping.ts';
import { createEventHub } from '../contract/contract.ts';
import { createFloodGate } from '../platform/flood-gate.ts';
import { unreadableWork } from './news.ts';
import { openManagementToken } from '../sign-in/secrets.ts';
import { openSettings } from './settings.ts';
import { inBackground } from '../platform/log.ts';
import { systemClock } from '../platform/clock.ts';
import { createPictures } from '../untrusted/pictures/pictures.ts';
import { openKeychain, openSecretsFile, sameText, type Secrets, secretsFileIn } from '../platform/secrets.ts';
import { openReading } from './reading.ts';
import type { ServiceOptions } from './service.ts';
import { documentsIn } from '../storage/document.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import { openWork } from '../storage/work/work.ts';
import { readingRefusals } from './visiting.ts';
import { openTiming } from './timing.ts';

/** Returns the problem of a secrets file that was damaged. `keptAt`: where it is now. */
const secretsLost = (keptAt: string): Problem => ({
  code: 'secrets_lost',
  message: `The file with the secrets was damaged, so Porchlight made new keys. Apps have to sign in again, and you enter tokens, such as the one of your tunnel, again. If you have a copy of secrets.json, quit Porchlight and put it into the data folder. Or restore a backup with a passphrase. The damaged file is “${keptAt}”.`,
});

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
  const news: FolderNews = new EventEmitter();
  const changed = (): void => void news.emit('status');
  const folder = await openFolder(options, { lock, clock, hub, background, news });
  const { closed, taken, unsaved, versions, records, activity, ownerNews, onRecovered } = folder;
  const ending = new AbortController();
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
  const timing = await openTiming({
    documents,
    wall: clock,
    changed,
    background,
    steady: options.steady ?? (() => performance.now()),
    // The demo and tests make the clock jump intentionally, so they always trust it.
    watch: options.clock && !options.steady ? { agrees: () => true } : fetching.clockWatch,
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
  const secrets = await openSecrets(options, (keptAt) => folder.problems.add(secretsLost(keptAt)));
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
    fetch: fetching.fetch,
    reached: fetching.reached,
    secrets,
    allowPrivate,
    background,
    changed,
  };

  return {
    ...folder,
    early,
    news,
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
    clockWatch: fetching.clockWatch,
    timing,
    reading,

    /** Starts the background work of the foundation. Call it once the server is on. */
    start: (): void => background(closed.closeContents(ending.signal)),

    /**
     * Closes the foundation. Call it after closing all other parts, the secrets and the pictures. Waits for the
     * background work that was passed to `background`.
     */
    async close(): Promise<void> {
      ending.abort();
      folder.unreadable.stop();
      await fetching.close();
      await reading.close();
      background(timing.stop());
      await background.finished();
      await records.close();
      await folder.reserve.close();
    },
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

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;
