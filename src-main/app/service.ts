import type { OwnerApi } from '../contract/contract.ts';
import type { TunnelMode } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import type { DesktopAbilities } from '../data/owner.ts';
import type { FileTransfers } from '../http/file-transfers.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { LogFile } from '../platform/log-file.ts';
import type { Log } from '../platform/log.ts';

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
  /** Adds a problem to the status, until the next start. Does nothing if the status has one with this code. */
  report(problem: Problem): void;
  readonly owner: OwnerApi;
  /** The files that pass between the owner's browser and this server. */
  readonly transfers: FileTransfers;
}
