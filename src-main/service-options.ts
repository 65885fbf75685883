import type { TunnelMode } from './contract/settings.ts';
import type { Problem } from './contract/status.ts';
import type { DesktopAbilities } from './owner/data.ts';
import type { Clock } from './platform/clock.ts';
import type { GuardedFetch } from './platform/guarded-fetch.ts';
import type { LogFile } from './platform/log-file.ts';
import type { Log } from './platform/log.ts';

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
  /** A clock that nobody sets, in ms; the computer's own if absent. With `clock` alone, every time is believed. */
  readonly steady?: Clock;
  /** Replaces all other servers. This makes it a demo, and its status and its public pages say so. */
  readonly web?: GuardedFetch | undefined;
  /** Keeps the log in the data folder too, once this process has the folder to itself. */
  readonly logFile?: LogFile | undefined;
  /** What the desktop can do; absent where there is none. */
  readonly desktop?: DesktopAbilities | undefined;
}
