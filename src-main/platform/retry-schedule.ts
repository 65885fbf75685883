import {
  attemptsLeftIn,
  nextAttemptIn,
  pauseIn,
  plausibleDueIn,
  type RetrySchedule,
} from '../storage/work/work-kind.ts';

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
  /** The schedule for a push about a sign-in, which waits for ten minutes at most. */
  push: {
    pauses: [5, 15, 30, 60, 120, 240].map((seconds) => seconds * second),
    asked: { least: second, most: 4 * minute },
  },
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

/** Returns a schedule, for work that the queue does. */
export const scheduleOf = (name: RetryName): RetrySchedule => schedules[name];

/** Returns the pause after a number of failed attempts, in ms; undefined if there is no further attempt. */
export const pauseAfter = (name: RetryName, failures: number) => pauseIn(scheduleOf(name), failures);

/** Returns how many attempts are left after a number of failed attempts. */
export const attemptsLeft = (name: RetryName, failures: number) => attemptsLeftIn(scheduleOf(name), failures);

/** Returns the time of the next attempt; see nextAttemptIn. */
export const nextAttempt = (name: RetryName, after: Parameters<typeof nextAttemptIn>[1]) =>
  nextAttemptIn(scheduleOf(name), after);

/** Returns the time of an attempt that was scheduled for `due` (ms); see plausibleDueIn. */
export const plausibleDue = (name: RetryName, due: number, now: number) =>
  plausibleDueIn(scheduleOf(name), due, now);
