/** When something that failed is tried again. All times are in ms. */
interface RetrySchedule {
  /** The pauses after the first failed attempt, the second, and so on. */
  readonly pauses: readonly number[];
  /** True if the last pause repeats forever. Otherwise, the attempt after the last pause is the last one. */
  readonly isEndless?: boolean;
  /** After this much time since the first attempt, the next failure is the last, whatever the number of attempts. */
  readonly longestWait?: number;
  /**
   * Set if the other server may ask for a pause (Retry-After): no longer than `most`. After the first failure, it may
   * ask for a pause shorter than ours, but no shorter than `least` if set.
   */
  readonly asked?: { readonly least?: number; readonly most: number };
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The pauses for servers that may be down for a day. */
const patient = [minute, 10 * minute, hour, 6 * hour, day];

const schedules = {
  /** Reading the source of a mention. */
  source: { pauses: patient, longestWait: 30 * day },
  /** Reading a source that used up its reading time. */
  slowSource: { pauses: [hour] },
  /** Reading a source while this computer is offline or cannot write. Such attempts don't count. */
  sourceLater: { pauses: [5 * minute], isEndless: true },
  /** Sending a webmention. */
  delivery: { pauses: patient, asked: { least: 5 * second, most: day } },
  /** All deliveries to a host, if a result could not be stored or the host asks for a pause. */
  deliveryHost: { pauses: [minute], isEndless: true, asked: { least: 0, most: hour } },
  /** Sending a topic to a WebSub subscriber. After the last attempt, the subscription ends. */
  subscriber: { pauses: [minute, 10 * minute, hour, 6 * hour] },
  /** Fetching a picture that a post names by URL. */
  postPicture: { pauses: patient },
  /** Fetching a picture of a mention. */
  mentionPicture: { pauses: [day, day, day, day] },
  /** All pictures of a host that is in trouble, or whose pictures cannot be stored. */
  pictureHost: { pauses: [10 * minute], isEndless: true },
  /** A request to the aggregator. The import waits for it. */
  aggregator: { pauses: [0.5 * second, 2 * second, 5 * second], asked: { most: minute } },
  /** Starting cloudflared again. */
  tunnel: { pauses: [1, 2, 4, 8, 16, 32, 60].map((seconds) => seconds * second), isEndless: true },
  /** Writing a post to the owner's folder, and pushing it. */
  publishing: {
    pauses: [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour],
    isEndless: true,
  },
  /** Looking whether a published page is live. Most builds take less than a minute. */
  liveCheck: {
    pauses: [1, 2, 3, 5, 5, 10, 10, 15, 15, 30, 30, 60, 60, 120]
      .map((seconds) => seconds * second)
      .concat(5 * minute),
    isEndless: true,
  },
  /** A weekly backup. Each attempt reads and writes all data. */
  weeklyBackup: { pauses: [day], isEndless: true },
  /**
   * Testing a new public address. The first pause follows the change of the address. A new name takes a while to appear
   * in DNS, and a resolver that is asked too early keeps reporting for minutes that the name doesn't exist.
   */
  newAddress: { pauses: [8 * second, 15 * second, 40 * second] },
} satisfies Record<string, RetrySchedule>;

/** The name of a retry schedule. */
export type RetryName = keyof typeof schedules;

const scheduleOf = (name: RetryName): RetrySchedule => schedules[name];

/** Returns the pause in ms after a number of failed attempts; undefined if there is no further attempt. */
export function pauseAfter(name: RetryName, failures: number): number | undefined {
  const { pauses, isEndless = false } = scheduleOf(name);
  return pauses[isEndless ? Math.min(failures, pauses.length) - 1 : failures - 1];
}

/** Returns how many attempts are left after a number of failed ones. */
export function attemptsLeft(name: RetryName, failures: number): number {
  const { pauses, isEndless = false } = scheduleOf(name);
  return isEndless ? Infinity : Math.max(0, pauses.length + 1 - failures);
}

/** Returns whether the first attempt, at `since` (ms), is too long ago for another one. */
export function isPastRetrying(name: RetryName, since: number, now: number): boolean {
  return now - since > (scheduleOf(name).longestWait ?? Infinity);
}

/**
 * Returns when to make the next attempt, in ms; undefined if there is none. `failures`: how many attempts failed so
 * far. `asked`: when the other server wants the next request, in ms, if it says so.
 */
export function nextAttempt(
  name: RetryName,
  { failures, now, asked }: { failures: number; now: number; asked?: number | undefined },
): number | undefined {
  const pause = pauseAfter(name, failures);
  const may = scheduleOf(name).asked;
  if (pause === undefined) return undefined;
  if (may === undefined || asked === undefined) return now + pause;
  const least = failures === 1 ? (may.least ?? pause) : pause;
  return now + Math.max(least, Math.min(asked - now, may.most));
}

/** A clock is often corrected by less than this. */
const slack = hour;

/**
 * Returns when an attempt that was scheduled for `due` is due (ms): now, if `due` is further ahead than any pause,
 * because the clock was wrong when the attempt was scheduled.
 */
export function plausibleDue(name: RetryName, due: number, now: number): number {
  const { pauses, asked } = scheduleOf(name);
  return due - now > Math.max(...pauses, asked?.most ?? 0) + slack ? now : due;
}
