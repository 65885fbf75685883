import path from 'node:path';
import { Type } from 'typebox';
import type { Handlers, OwnerApi } from './contract/contract.ts';
import type { TunnelMode } from './contract/settings.ts';
import { closed } from './contract/shapes.ts';
import type { Problem, Status } from './contract/status.ts';
import { buildPublicApp } from './http/app.ts';
import { createListener } from './http/listener.ts';
import { newSigningKey } from './indieauth/access-token.ts';
import { GrantList } from './indieauth/grant.ts';
import { createIndieAuth, type IndieAuth } from './indieauth/indieauth.ts';
import type { Visit } from './indieauth/waiting-room.ts';
import { createActivity, StoredActivity } from './owner/activity.ts';
import { createAppActivity } from './owner/app-activity.ts';
import { appHandlers } from './owner/apps.ts';
import type { DesktopAbilities } from './owner/data.ts';
import { createEventHub } from './owner/event-hub.ts';
import { createFloodGate } from './owner/flood-gate.ts';
import { createMentionActivity } from './owner/mention-activity.ts';
import { createOwnerApi } from './owner/owner-api.ts';
import { completeProfile, settingsHandlers, type ProfileDeps } from './owner/profile.ts';
import { managementTokenName, openManagementToken, secretHandlers } from './owner/secrets.ts';
import {
  createSettings,
  initialProfile,
  initialSettings,
  settingsFormat,
  StoredProfile,
  StoredSettings,
} from './owner/settings.ts';
import { createSignInMemory, signInHandlers, signInOf } from './owner/sign-ins.ts';
import { statusHandlers, statusOf } from './owner/status.ts';
import { supportHandlers } from './owner/support.ts';
import { createWantedTunnel, tunnelTokenName } from './owner/tunnel.ts';
import { createTunnelActivity } from './owner/tunnel-activity.ts';
import { aggregatorTokenName } from './owner/webmentions.ts';
import { clockWords, createClockWatch, listeningFetch } from './platform/clock-watch.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import { createGuardedFetch, userAgentOf } from './platform/guarded-fetch.ts';
import type { Log } from './platform/log.ts';
import type { LogFile } from './platform/log-file.ts';
import { finishRestore, openKeeping, restoredWords } from './keeping.ts';
import { openMentioning } from './mentioning.ts';
import { createPictures } from './platform/pictures.ts';
import { sameText } from './platform/secret-text.ts';
import { openKeychain, openSecretsFile, secretsFileIn, type Secrets } from './platform/secrets.ts';
import { createTunnel } from './platform/tunnel.ts';
import { openPublishing } from './publishing.ts';
import { openSelfTesting } from './self-testing.ts';
import { takePending } from './storage/backup/pending.ts';
import { watchDisk } from './storage/disk-watch.ts';
import type { Migration } from './storage/document-format.ts';
import { openDocument } from './storage/document.ts';
import { lockFolder, type FolderLock } from './storage/folder-lock.ts';
import { openMonthlyLog } from './storage/monthly-log.ts';
import type { Recovery } from './storage/recovery.ts';

/** What a front door decides before the service opens. */
export interface ServiceOptions {
  /** The data folder; made when missing. */
  readonly dataDir: string;
  /** Loopback port of the public API; 0 picks a free one. */
  readonly port: number;
  /** True where `port` counts, whatever port the owner chose before. */
  readonly portGiven?: boolean | undefined;
  /** The public origin, where it is known beforehand. */
  readonly baseUrl?: string | undefined;
  /** The owner's profile URL; kept in the settings once given. */
  readonly me?: string | undefined;
  readonly tunnel?: TunnelMode | undefined;
  readonly secrets: 'keychain' | 'file';
  /** The name under which secrets stand in the keychain. */
  readonly secretService: string;
  /** Development and tests only: outbound fetches may reach loopback and private addresses. */
  readonly allowPrivateFetch: boolean;
  /** What the front door has to tell the owner, beside what the service finds. */
  readonly problems?: readonly Problem[];
  readonly version: string;
  readonly log: Log;
  /** What time it is; the computer's own clock where absent. No front door sets another one. */
  readonly clock?: Clock;
  /** Keeps the log in the data folder too, once this process has the folder to itself. */
  readonly logFile?: LogFile | undefined;
  /** What the desktop can do; absent where there is none. */
  readonly desktop?: DesktopAbilities | undefined;
}

/** The running whole, as the front doors see it. */
export interface Service {
  /** Turns the server on. A port that is taken does not throw: the status says so. */
  start(): Promise<void>;
  /** The computer woke, or its network changed: what waited for that goes on, what ended meanwhile is over. */
  wake(): void;
  /** Ends what is under way, writes what waits, gives the data folder free. */
  stop(): Promise<void>;
  readonly owner: OwnerApi;
  /** The computer woke, or its network changed: what waits is looked at now. */
  wake(): void;
}

const logoEdge = 96;
const signingKeyName = 'signing-key';
const crashWords =
  'Porchlight, or the computer, had ended without warning. It runs again; what was saved is here.';

/**
 * The one place that wires everything. Secrets and documents are open when it resolves; nothing listens yet.
 * @throws PorchlightError in words for the owner: the folder is in use, a file is newer, the keychain is closed, ...
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const lock = await lockFolder(options.dataDir);
  try {
    options.logFile?.open(path.join(options.dataDir, 'logs'));
    return await wire(options, lock);
  } catch (error) {
    await options.logFile?.close();
    await lock.release();
    throw error;
  }
}

async function wire(options: ServiceOptions, lock: FolderLock): Promise<Service> {
  const { dataDir, log, allowPrivateFetch, version } = options;
  const clock = options.clock ?? systemClock;
  const hub = createEventHub();
  const problems: Problem[] = [...(options.problems ?? [])];
  const restored = await takePending(dataDir);
  const onRecovered = (recovery: Recovery) => void problems.push(problemOf(recovery));
  const documents = documentsIn(dataDir, onRecovered);

  const secrets = await openSecrets(options);
  if (restored) await finishRestore(dataDir, restored, secrets);
  const signingKey = await secretOnce(secrets, signingKeyName, newSigningKey);
  const managementToken = await openManagementToken(secrets);
  const settings = createSettings({
    settings: await documents.open('settings.json', StoredSettings, initialSettings, settingsFormat),
    profile: await documents.open('profile.json', StoredProfile, initialProfile),
    allowLoopbackMe: allowPrivateFetch,
    changed: (now) => hub.emit('settings.changed', now),
  });
  const activity = createActivity({ log: documents.log('activity', StoredActivity), hub, clock });
  if (restored) await activity.tell('data.restored', restoredWords(restored));
  if (options.me !== undefined) await settings.update({ profile: { me: options.me } });

  const wayOut = createGuardedFetch({ allowPrivate: allowPrivateFetch, userAgent: userAgentOf(version) });
  const clockWatch = createClockWatch({ now: clock, changed: () => changed() });
  const fetch = listeningFetch(wayOut, clockWatch);
  const chosenPort = await documents.open('server.json', ChosenPort, { port: null });
  const disk = watchDisk({
    dir: dataDir,
    changed: () => changed(),
    // What was put off because it could not be kept is tried again now.
    recovered: () => tell(mentioning.processNow()),
  });
  const pictures = createPictures({ log });
  const profile = () => settings.get().profile;
  const tell = inBackground(log);
  const changed = () => {
    hub.emit('status.changed', status());
    tell(selfTesting.changed());
  };
  const gate = createFloodGate({
    tell: (kind, words) => activity.tell(kind, words),
    failed: (error) => log.warn({ err: error }, 'what happened could not be written down'),
  });
  const memory = createSignInMemory(activity);
  const tellOfTunnel = createTunnelActivity(gate);
  const tunnel = createTunnel({
    log,
    folder: path.join(dataDir, 'tunnel'),
    fetch,
    onChange(now) {
      tellOfTunnel(now);
      hub.emit('tunnel.changed', now);
      changed();
    },
  });

  const base = (): string => {
    const { hostname, publicUrl } = settings.get().tunnel;
    const mode = wantedTunnel.mode();
    const named = mode === 'named' && hostname !== '' ? `https://${hostname}` : undefined;
    const own = mode === 'off' && publicUrl !== '' ? publicUrl : undefined;
    return options.baseUrl ?? tunnel.status().url ?? named ?? own ?? `http://127.0.0.1:${listener.port}`;
  };

  const indieAuth: IndieAuth = await createIndieAuth({
    base,
    profile,
    settings: () => settings.get().signIn,
    fetch,
    shrink: async (bytes) => (await pictures.shrink(bytes, { edge: logoEdge }))?.dataUrl ?? null,
    clock,
    signingKey,
    grantDocument: await documents.open('grants.json', GrantList, { grants: [] }),
    allowPrivate: allowPrivateFetch,
    events: {
      requested(visit: Visit) {
        hub.emit('signIn.requested', signInOf(visit));
        changed();
      },
      settled(visit, { outcome, scopes, replaced }) {
        hub.emit('signIn.settled', { id: visit.id, outcome });
        changed();
        // Whoever asks again and again must not push the owner's history out of the log.
        if (replaced !== true) tell(memory.remember(visit, outcome, scopes));
      },
      granted: ({ clientName }) => tell(activity.tell('app.signedIn', `${clientName} is signed in.`)),
    },
  });

  const mentioning = await openMentioning({
    dataDir,
    onRecovered,
    log,
    clock,
    hub,
    activity,
    arrivals: createMentionActivity(gate),
    base,
    profile,
    settings: () => settings.get().webmention,
    fetch,
    allowPrivate: allowPrivateFetch,
    pictures,
    secrets,
    isManagementToken: (text) => sameText(text, managementToken.value),
    isPublicPage: (url) => publishing.isPublicPage(url),
  });
  const publishing = openPublishing({
    dataDir,
    onRecovered,
    log,
    clock,
    hub,
    activity,
    base,
    profile,
    settings: () => settings.get().micropub,
    authorize: (request, bodyToken) => indieAuth.access.of(request, { bodyToken }),
    appName: (grantId) => indieAuth.grants.get(grantId)?.clientName ?? 'An app',
    apps: createAppActivity(gate),
    fetch,
    pictures,
    mentioning,
  });

  const selfTesting = await openSelfTesting({
    dataDir,
    onRecovered,
    hub,
    clock,
    fetch,
    base,
    present: () => ({
      on: listener.state.kind === 'on',
      tunnel: tunnel.status(),
      mediaLimitBytes: settings.get().micropub.mediaLimitBytes,
      me: profile().me,
    }),
    allowPrivate: allowPrivateFetch,
  });
  const keeping = openKeeping({
    ...{ dataDir, version, log, clock, hub, activity, base, pictures, secrets, changed },
    settings: () => settings.get(),
    posts: publishing.posts,
    media: publishing.media,
    mentions: mentioning.mentions,
    desktop: options.desktop,
  });

  const listener = createListener({
    port: options.portGiven === true ? options.port : (chosenPort.data.port ?? options.port),
    changed,
    build: () =>
      buildPublicApp({
        log,
        features: [...publishing.routes, ...mentioning.routes, ...indieAuth.routes, selfTesting.routes],
        closing: () => indieAuth.waitingRoom.wake(),
        failed: (error) => disk.failed(error),
      }),
  });
  const wantedTunnel = createWantedTunnel({ tunnel, secrets, settings, listener, mode: options.tunnel });
  /** What is wrong until it is mended. */
  const passing = (): Problem[] => {
    const offset = clockWatch.offset();
    const { trouble } = disk;
    return [
      ...(trouble ? [{ code: trouble.code, message: trouble.words }] : []),
      ...(offset === 0 ? [] : [{ code: 'clock', message: clockWords(offset) }]),
    ];
  };
  const status = (): Status =>
    statusOf({
      listener,
      base,
      tunnel: () => tunnel.status(),
      wanted: () => wantedTunnel.mode(),
      profile,
      secrets: secrets.kind,
      waitingRoom: indieAuth.waitingRoom,
      version,
      problems: () => [...problems, ...keeping.problems(), ...passing()],
    });

  const profileDeps: ProfileDeps = {
    settings,
    fetch,
    allowLoopbackMe: allowPrivateFetch,
    changed() {
      changed();
      tell(wantedTunnel.follow());
    },
  };
  const handlers: Handlers = {
    ...statusHandlers({
      listener,
      status,
      activity,
      tunnel: wantedTunnel,
      keepPort: (port) => chosenPort.update((kept) => void (kept.port = port)),
    }),
    ...signInHandlers({ indieAuth, activity, memory }),
    ...appHandlers({ indieAuth, activity, profile }),
    ...settingsHandlers(profileDeps),
    'settings.update': async (patch) => {
      const next = await settingsHandlers(profileDeps)['settings.update'](patch);
      if (patch.backup) keeping.look();
      return next;
    },
    ...secretHandlers({ token: managementToken, activity }),
    ...selfTesting.handlers,
    ...publishing.handlers,
    ...mentioning.handlers,
    ...keeping.handlers,
    ...wantedTunnel.handlers,
    'activity.list': (page) => activity.list(page),
    ...supportHandlers({
      dataDir,
      clock,
      status,
      settings: () => settings.get(),
      tunnel: () => tunnel.status(),
      lastCheck: selfTesting.last,
      counts: () => ({ 'Apps that are signed in': indieAuth.grants.list().length }),
      secrets,
      secretNames: [signingKeyName, managementTokenName, tunnelTokenName, aggregatorTokenName],
      logTail: () => options.logFile?.tail() ?? Promise.resolve('No log file is kept.'),
    }),
  };

  return {
    owner: createOwnerApi({ handlers, hub, log, failed: (error) => disk.failed(error) }),

    async start() {
      await listener.start();
      await wantedTunnel.start();
      if (lock.tookOver) tell(activity.tell('server.crashed', crashWords));
      tell(publishing.start());
      tell(mentioning.start());
      tell(keeping.start());
      tell(completeProfile(profileDeps)); // a page that can not be read never stops the start
    },

    wake() {
      indieAuth.waitingRoom.expireOverdue();
      tell(tunnel.check());
      mentioning.wake();
      keeping.look();
      tell(publishing.start()); // the pictures that posts wait for
    },

    async stop() {
      selfTesting.stop();
      await wantedTunnel.close();
      await keeping.stop();
      await listener.stop();
      indieAuth.waitingRoom.close();
      await publishing.stop();
      await mentioning.stop();
      await gate.close();
      disk.stop();
      await wayOut.close();
      await pictures.close();
      // When an app was last used; a disk that takes nothing must not hold up the end.
      tell(indieAuth.grants.flush());
      await tell.finished();
      await options.logFile?.close();
      await lock.release();
    },
  };
}

/** The port that the owner chose where the usual one was taken. */
const ChosenPort = closed({ port: Type.Union([Type.Integer(), Type.Null()]) });

/** The documents of a data folder, each with its format number; what had to be recovered is told. */
function documentsIn(dataDir: string, onRecovered: (recovery: Recovery) => void) {
  return {
    open: <S extends Parameters<typeof openDocument>[0]['schema']>(
      name: string,
      schema: S,
      initial: Parameters<typeof openDocument<S>>[0]['initial'],
      { format, migrations }: { format: number; migrations?: Record<number, Migration> } = { format: 1 },
    ) =>
      openDocument<S>({
        file: path.join(dataDir, name),
        schema,
        format,
        ...(migrations && { migrations }),
        initial,
        onRecovered,
      }),
    log: <S extends Parameters<typeof openMonthlyLog>[0]['schema']>(name: string, schema: S) =>
      openMonthlyLog<S>({ dir: path.join(dataDir, name), schema, onRecovered, now: () => new Date() }),
  };
}

function problemOf({ file, movedTo, recoveredFrom }: Recovery): Problem {
  const name = path.basename(file);
  const what =
    movedTo === null
      ? `The file ${name} was missing.`
      : `The file ${name} could not be read; it is kept as ${path.basename(movedTo)}.`;
  const next = recoveredFrom === 'previous' ? 'The version before it took its place.' : 'It starts empty.';
  return { code: 'storage_recovered', message: `${what} ${next}` };
}

function openSecrets({ secrets, secretService, dataDir }: ServiceOptions): Promise<Secrets> {
  return secrets === 'keychain'
    ? openKeychain({ service: secretService })
    : openSecretsFile({ file: secretsFileIn(dataDir) });
}

async function secretOnce(secrets: Secrets, name: string, make: () => Promise<string>): Promise<string> {
  const known = await secrets.get(name);
  if (known !== null) return known;
  const fresh = await make();
  await secrets.set(name, fresh);
  return fresh;
}

/** For what nobody waits for: a failure is logged, and stopping waits for what is under way. */
function inBackground(log: Log) {
  const underWay = new Set<Promise<void>>();
  const tell = (work: Promise<void>): void => {
    const done: Promise<void> = work
      .catch((error: unknown) => log.warn({ err: error }, 'in the background'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  return Object.assign(tell, { finished: () => Promise.allSettled(underWay) });
}
