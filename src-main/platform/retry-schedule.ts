/** A schedule for retrying failed work. All times are in ms. */
interface RetrySchedule {
  /** The pauses after the first failed attempt, after the second, and so on. */
  readonly pauses: readonly number[];
  /** True if the last pause repeats forever. Otherwise, there is one last attempt after the last pause. */
  readonly isEndless?: boolean;
  /**
   * The limits for a pause that the other server requests (Retry-After). If absent, such requests are ignored. `most`:
   * the longest accepted pause. `least`: if set, a requested pause after the first failure may be shorter than the
   * schedule's pause, but not shorter than `least`.
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
  /** The schedule for reading the source of a mention. */
  source: { pauses: patient },
  /** The schedule for reading a source that used up its time limit. */
  slowSource: { pauses: [hour] },
  /**
   * The schedule for reading a source while this computer is offline or cannot write to its disk: 30 days of attempts,
   * in addition to those of `source`. Without this limit, dead sources could fill the queue forever.
   */
  sourceLater: { pauses: Array.from({ length: 30 * 24 * 12 }, () => 5 * minute) },
  /** The schedule for sending a webmention. */
  delivery: { pauses: patient, asked: { least: 5 * second, most: day } },
  /**
   * The schedule for pausing all deliveries to a host. A pause starts when the host requests it, or when a result can't
   * be stored.
   */
  deliveryHost: { pauses: [minute], isEndless: true, asked: { least: 0, most: hour } },
  /** The schedule for sending a topic to a WebSub subscriber. After the last attempt, the subscription ends. */
  subscriber: { pauses: [minute, 10 * minute, hour, 6 * hour] },
  /** The schedule for fetching a picture that a post references by URL. */
  postPicture: { pauses: patient },
  /** The schedule for fetching a picture of a mention. */
  mentionPicture: { pauses: [day, day, day, day] },
  /** The schedule for making smaller versions of pictures that could not be decoded for a temporary reason. */
  pictureVersions: { pauses: [minute], isEndless: true },
  /**
   * The schedule for pausing all picture downloads from a host. A pause starts when the host fails, or when its
   * pictures can't be stored.
   */
  pictureHost: { pauses: [10 * minute], isEndless: true },
  /**
   * The schedule for requests to the aggregator (webmention.io). The pauses are short, because an import waits for
   * these requests.
   */
  aggregator: { pauses: [0.5 * second, 2 * second, 5 * second], asked: { most: minute } },
  /** The schedule for requests to Cloudflare's API. The owner waits for these requests. */
  cloudflare: { pauses: [second, 3 * second, 8 * second], asked: { most: 30 * second } },
  /** The schedule for restarting cloudflared. */
  tunnel: { pauses: [1, 2, 4, 8, 16, 32, 60].map((seconds) => seconds * second), isEndless: true },
  /** The schedule for writing a post to the owner's folder, and pushing it. */
  publishing: {
    pauses: [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour],
    isEndless: true,
  },
  /** The schedule for checking whether a published page is live. Building a site usually takes less than a minute. */
  liveCheck: {
    pauses: [1, 2, 3, 5, 5, 10, 10, 15, 15, 30, 30, 60, 60, 120]
      .map((seconds) => seconds * second)
      .concat(5 * minute),
    isEndless: true,
  },
  /**
   * The schedule for reporting to the mailbox that this server is awake, and for fetching the items that the mailbox
   * stored.
   */
  mailbox: { pauses: [15 * second, minute, 5 * minute, 30 * minute, hour], isEndless: true },
  /** The schedule for a weekly backup. Each attempt reads and writes all data. */
  weeklyBackup: { pauses: [day], isEndless: true },
  /**
   * The schedule for testing a new public address. The first pause comes right after the address has changed, because a
   * new name takes a while to appear in DNS. A resolver that is queried too early keeps reporting for minutes that the
   * name doesn't exist.
   */
  newAddress: { pauses: [8 * second, 15 * second, 40 * second] },
} satisfies Record<string, RetrySchedule>;

export type RetryName = keyof typeof schedules;

const scheduleOf = (name: RetryName): RetrySchedule => schedules[name];

/** Returns the pause after a number of failed attempts, in ms; undefined if there is no further attempt. */
export function pauseAfter(name: RetryName, failures: number): number | undefined {
  const { pauses, isEndless = false } = scheduleOf(name);
  return pauses[isEndless ? Math.min(failures, pauses.length) - 1 : failures - 1];
}

/** Returns how many attempts are left after a number of failed attempts. */
export function attemptsLeft(name: RetryName, failures: number): number {
  const { pauses, isEndless = false } = scheduleOf(name);
  return isEndless ? Infinity : Math.max(0, pauses.length + 1 - failures);
}

/**
 * Returns the time of the next attempt, in ms; undefined if there is none. `failures`: the number of failed attempts so
 * far. `asked`: the time that the other server has set for the next request (Retry-After), in ms, if any.
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

/** The tolerance for clock corrections, in ms. Most corrections are smaller. */
const slack = hour;

/**
 * Returns the time of an attempt that was scheduled for `due` (ms). If `due` is further ahead than any pause, the clock
 * was wrong when the attempt was scheduled. In that case, returns `now`.
 */
export function plausibleDue(name: RetryName, due: number, now: number): number {
  const { pauses, asked } = scheduleOf(name);
  return due - now > Math.max(...pauses, asked?.most ?? 0) + slack ? now : due;
}
