import { setTimeout as pause } from 'node:timers/promises';
import { createEventHub, type OwnerApi, type Reply } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { TunnelMode } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import type { DesktopAbilities } from '../data/owner.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { LogFile } from '../platform/log-file.ts';
import type { Log } from '../platform/log.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import { ask } from './ask.ts';

/** The options that an entry point sets before the service opens. */
export interface ServiceOptions {
  /** The data folder; created if missing. */
  readonly dataDir: string;
  /** Loopback port of the public API; 0 picks a free port. */
  readonly port: number;
  /** True if `port` overrides the port that the owner chose before. */
  readonly portGiven?: boolean | undefined;
  /** The public origin, if it is known in advance. */
  readonly baseUrl?: string | undefined;
  /** The owner's profile URL. If set, it overrides the URL in the settings. */
  readonly me?: string | undefined;
  readonly tunnel?: TunnelMode | undefined;
  readonly secrets: 'keychain' | 'file';
  /** The name under which secrets are stored in the keychain. */
  readonly secretService: string;
  /** Whether requests may reach loopback and private addresses; true only in development and tests. */
  readonly allowPrivateFetch: boolean;
  /** Development only: responses state how long each phase of their request took. */
  readonly timing?: boolean | undefined;
  /** Problems that the entry point found. They are reported along with the problems that the service finds. */
  readonly problems?: readonly Problem[];
  /**
   * Called while the service stops, if revocations could not be saved. `words`: what is lost, for
   * the owner. The log contains the same words.
   */
  readonly lost?: ((words: string) => void) | undefined;
  readonly version: string;
  readonly log: Log;
  /** The current time; the computer's own clock if absent. Only the demo and tests set it. */
  readonly clock?: Clock;
  /** A monotonic clock, in ms; the computer's own if absent. If only `clock` is given, its time is always trusted. */
  readonly steady?: Clock;
  /** How often to test a disk that refused a write, in ms; 10 s if absent. Only tests set it. */
  readonly diskCheckMs?: number;
  /**
   * If given, responds to all requests in place of other servers. The status and the public pages then say that this is
   * a demo.
   */
  readonly web?: GuardedFetch | undefined;
  /**
   * The log file in the data folder. Once this process has locked the folder, the log goes to this file as well as to
   * stderr.
   */
  readonly logFile?: LogFile | undefined;
  /** Aborts when this process is asked to end. If the end then takes too long, the next start doesn't report a crash. */
  readonly ending?: AbortSignal | undefined;
  /** The functions that only the desktop app has; absent in headless mode. */
  readonly desktop?: DesktopAbilities | undefined;
  /** Called when everything was opened anew, because a copy of the data folder has taken its place. */
  readonly reopened?: (() => void) | undefined;
  /** Whether the folder is such a copy. Its lock then looks like that of a process that was killed. */
  readonly isCopy?: boolean | undefined;
}

/** The running service, as the entry points see it. */
export interface Service {
  /** Turns the server on. Does not throw if the port is in use: the status reports it. */
  start(): Promise<void>;
  /** Resumes pending work and expires overdue sign-ins. Called when the computer wakes up or its network changes. */
  wake(): void;
  /**
   * Tells the mailbox at Cloudflare that this computer is about to sleep, so that the mailbox responds to visitors.
   * Resolves after at most 2 s, or earlier if the mailbox confirms the message.
   */
  sleep(): Promise<void>;
  /** Finishes running work, writes pending data and unlocks the data folder. */
  stop(): Promise<void>;
  readonly owner: OwnerApi;
}

const failureOf = (error: unknown): PorchlightError =>
  error instanceof PorchlightError
    ? error
    : new PorchlightError('server_error', 'Porchlight can’t open your data. See the log for details.', 500);

interface Opened {
  readonly service: Service;
  readonly lock: Pick<FolderLock, 'replaced' | 'lockCopy'>;
}

/** Opens the service once. `again`: options that differ because it was open before. */
type Open = (again: Pick<ServiceOptions, 'isCopy' | 'port'>) => Promise<Opened>;

/** How long to wait before the next attempt to open a copy, in ms. */
const retryMs = 5000;
/** How often a call looks whether the copy is open, in ms. */
const callPauseMs = 50;

/**
 * Opens the service, and opens it anew when a copy of the data folder takes the folder's place: what is in memory may not
 * be true of the copy. Meanwhile, the owner's calls wait. Until the copy could be locked, the open service refuses
 * everything, as for a folder that is gone.
 * @throws the errors of `open`, the first time
 */
export async function keepOpen(options: ServiceOptions, open: Open): Promise<Service> {
  const { log } = options;
  const hub = createEventHub((error) => log.warn({ err: error }, 'a window could not be told'));
  const ended = new AbortController();
  let isStarted = false;
  /** Why there is no open service. */
  let failure: PorchlightError | undefined;
  /** Whether the service was stopped, and isn't open anew yet. */
  let isClosed = false;
  let reopening: Promise<void> | undefined;
  let current = (await opened({ port: options.port })).service;

  async function opened(again: Parameters<Open>[0]): Promise<Opened> {
    const one = await open(again);
    one.service.owner.subscribe(({ name, data }) => hub.emit(name, data));
    one.lock.replaced.addEventListener('abort', () => {
      reopening = (reopening ?? Promise.resolve())
        .then(() => reopen(one))
        .catch((error: unknown) =>
          log.error({ err: error }, 'the copy of the data folder could not be opened'),
        );
    });
    return one;
  }

  async function reopen({ service, lock }: Opened): Promise<void> {
    if (!(await repeated(() => lock.lockCopy()))) return;
    log.warn(`A copy of ${options.dataDir} has taken its place. Porchlight opens the copy.`);
    const { port } = await ask(service.owner, 'status.get', {});
    isClosed = true;
    await service.stop();
    const isOpen = await repeated(async () => {
      const fresh = await opened({ isCopy: true, port: options.port === 0 ? (port ?? 0) : options.port });
      current = fresh.service;
    });
    if (!isOpen) return;
    [isClosed, failure] = [false, undefined];
    if (isStarted) await current.start();
    options.reopened?.();
    hub.emit('settings.changed', await ask(current.owner, 'settings.get', {}));
    hub.emit('status.changed', await ask(current.owner, 'status.get', {}));
  }

  const owner: OwnerApi = {
    async call(method, params): Promise<Reply> {
      while (isClosed) {
        if (failure) return { error: { code: failure.code, message: failure.message } };
        await pause(callPauseMs);
      }
      return current.owner.call(method, params);
    },
    subscribe: (listener) => hub.subscribe(listener),
  };

  /** Repeats `work` until it succeeds. Returns false if the service is to stop. */
  async function repeated(work: () => Promise<unknown>): Promise<boolean> {
    while (!ended.signal.aborted) {
      try {
        await work();
        return true;
      } catch (error) {
        log.warn({ err: error }, 'a copy of the data folder has taken its place, but can’t be opened');
        if (isClosed) failure = failureOf(error);
        await pause(retryMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      }
    }
    return false;
  }

  return {
    owner,
    async start() {
      isStarted = true;
      await current.start();
    },
    wake: () => current.wake(),
    sleep: () => current.sleep(),
    async stop() {
      ended.abort();
      await reopening;
      await current.stop();
    },
  };
}
