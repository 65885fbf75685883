import { EventEmitter } from 'node:events';
import type { Problem } from '../contract/status.ts';
import { keepAnswers } from '../http/kept-answers.ts';
import { createAfterRestore } from './restoring.ts';
import type { Common } from '../http/common.ts';
import { type FolderNews, openFolder } from './folder.ts';
import { finishRestore, restoredWords } from './keeping.ts';
import { createEventHub } from '../contract/contract.ts';
import { createFloodGate } from '../platform/flood-gate.ts';
import { unreadableWork } from './news.ts';
import { openManagementToken } from '../sign-in/secrets.ts';
import { openSettings, isChosenHost } from './settings.ts';
import { inBackground } from '../platform/log.ts';
import { systemClock, type Clock, createTrustedTime } from '../platform/clock.ts';
import { createPictures } from '../untrusted/pictures/pictures.ts';
import { openKeychain, openSecretsFile, sameText, type Secrets, secretsFileIn } from '../platform/secrets.ts';
import { openReading } from './reading.ts';
import type { ServiceOptions } from './service.ts';
import { documentsIn } from '../storage/document.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import { openWork } from '../storage/work/work.ts';
import { readingRefusals } from './visiting.ts';
import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import {
  type ClockWatch,
  createClockWatch,
  listeningFetch,
  watchConnection,
} from '../platform/fetch-watch.ts';
import type { Settings } from '../contract/settings.ts';
import { createGuardedFetch, userAgentOf, type GuardedFetch } from '../platform/guarded-fetch.ts';
import { createOwnNetworks } from '../platform/guarded-connector.ts';

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

/** The content of clock.json: the latest plausible time, in ms. */
const Kept = closed({ latest: Type.Union([Type.Integer(), Type.Null()]) });
export const clockFormat = { schema: Kept, kind: 'note' as const, format: 1, initial: { latest: null } };

/** How often to check the clock (`checkMs`) and how often to store the trusted time (`keepMs`), in ms. */
const checkMs = 60_000;
const keepMs = 60 * 60_000;

interface TimingDeps extends Pick<Common, 'documents' | 'changed' | 'background'> {
  readonly wall: Clock;
  /** A monotonic clock, in ms. */
  readonly steady: Clock;
  readonly watch: Pick<ClockWatch, 'agrees'>;
}

/** Opens the part of the service that decides which time to trust, starting from the stored time. */
async function openTiming(deps: TimingDeps) {
  const kept = await deps.documents.open('clock.json', clockFormat);
  const time = createTrustedTime({
    wall: deps.wall,
    steady: deps.steady,
    latest: kept.data.latest,
    isConfirmed: () => deps.watch.agrees(),
  });
  let before = time.problem() !== null;
  // The first check stores the time, so that even a process that is killed soon leaves one.
  let keptAt = -Infinity;

  const keep = () => kept.update((data) => void (data.latest = Math.floor(time.now())));

  function check(): void {
    const isWrong = time.problem() !== null;
    if (isWrong !== before) {
      before = isWrong;
      deps.changed();
    }
    if (deps.steady() - keptAt < keepMs) return;
    keptAt = deps.steady();
    deps.background(keep());
  }

  const timer = setInterval(check, checkMs).unref();
  return {
    ...time,
    /** Checks the clock now. */
    check,
    /** Stops checking the clock, and stores the time for the next startup. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await keep();
    },
  };
}

interface FetchingDeps extends Pick<Common, 'version' | 'clock' | 'allowPrivate' | 'changed'> {
  /** If given, responds to all requests in place of other servers. */
  readonly web?: GuardedFetch | undefined;
  readonly settings: () => Settings;
}

interface OwnPlace extends Pick<Common, 'base'> {
  /** Returns the public IP addresses of this computer that were found so far. */
  readonly ownAddresses: () => readonly string[];
}

/** Returns an address if others can reach it. */
const publicAddress = (base: string | undefined): string | undefined =>
  base?.startsWith('https:') === true ? `${base}/` : undefined;

/**
 * Creates the only function that sends requests to other servers. The function refuses requests to the owner's own
 * networks. It passes every response to the clock watch, which checks this computer's clock.
 */
function openFetching({ version, clock, allowPrivate, web, settings, changed }: FetchingDeps) {
  let own: OwnPlace | undefined;
  const wayOut = web
    ? Object.assign(web.bind(undefined), { close: () => Promise.resolve() })
    : createGuardedFetch({
        allowPrivate,
        userAgent: userAgentOf(version),
        named: () => publicAddress(own?.base()),
        ownNetworks: createOwnNetworks({ learnt: () => own?.ownAddresses() ?? [] }),
        isOwnOrigin: (origin) => isOwnersOrigin(origin, own?.base() ?? null, settings()),
      });
  const clockWatch = createClockWatch({
    now: clock,
    changed,
    isChosen: (host) => isChosenHost(host, settings()),
  });
  const connection = watchConnection(listeningFetch(wayOut, clockWatch));
  return {
    fetch: connection.fetch,
    clockWatch,
    /** Returns false while this computer seems to be offline. */
    online: connection.online,
    /** Records that another server has reached this one. */
    reached: connection.reached,
    /** Connects the part that knows this computer's addresses. That part opens later than this one. */
    connect: (place: OwnPlace) => void (own = place),
    /** Aborts running requests and refuses new ones. */
    close: () => wayOut.close(),
  };
}

/**
 * Returns whether an origin belongs to the owner. Requests to these origins are allowed, even if a reverse proxy on
 * this computer serves them. They are needed for the self-test, for the owner's own links, and for checking that
 * published posts are live.
 */
export function isOwnersOrigin(
  origin: string,
  base: string | null,
  { profile, siteFolder }: Pick<Settings, 'profile' | 'siteFolder'>,
): boolean {
  const folderSite = siteFolder.on ? siteFolder.baseUrl : null;
  return [base, profile.me, folderSite].some((url) => originOf(url) === origin);
}

function originOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}
