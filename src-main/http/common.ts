import type { Profile } from '../contract/settings.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { EventHub } from '../contract/contract.ts';
import type { Background, Log } from '../platform/log.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Versions } from '../storage/caches.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { DataDocuments } from '../storage/document.ts';
import type { Records } from '../storage/records/records.ts';
import type { WorkQueue } from '../storage/work/work.ts';
import type { Recovery } from '../storage/recovery.ts';

/** The values and functions that several parts of the service use. Each part picks those that it needs. */
export interface Common {
  readonly dataDir: string;
  readonly version: string;
  readonly documents: DataDocuments;
  /** The version numbers of what pages display. */
  readonly versions: Versions;
  readonly records: Records;
  /** The durable queue. It is started and stopped with the service. */
  readonly work: Pick<WorkQueue, 'defineWork' | 'wake'>;
  readonly kept: KeptAnswers;
  /** Tells the owner about a file that was damaged or missing. Resolves when that is on disk. */
  readonly onRecovered: (recovery: Recovery) => Promise<void>;
  readonly log: Log;
  /** Returns the trusted time, which ignores implausible jumps of the computer's clock. */
  readonly clock: Clock;
  readonly hub: EventHub;
  readonly activity: Activity;
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  /** Returns the owner's public profile. */
  readonly profile: () => Profile;
  readonly fetch: GuardedFetch;
  /** Records that another server has reached this one, so that this computer counts as online. */
  readonly reached: () => void;
  readonly secrets: Secrets;
  /** Whether loopback and private addresses count as public ones; true only in development and tests. */
  readonly allowPrivate: boolean;
  /** Accepts work that runs in the background. If the work fails, logs the error. */
  readonly background: Background;
  /** Called when the status may have changed. */
  readonly changed: () => void;
}
