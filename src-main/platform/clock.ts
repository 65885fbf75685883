/**
 * Returns the current time, in ms since the Unix epoch. Code that depends on time takes a Clock, so that tests can set
 * the time.
 */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** The interval between checks of the clock, in ms. */
const checkMs = 60_000;
/** A gap of this many ms between two checks means that the computer slept. A delay on a busy computer is shorter. */
const lateMs = 5 * checkMs;

/**
 * Calls `woke` after the computer has slept. Compares a timer with the wall clock, because timers stop while the
 * computer sleeps, but the wall clock doesn't. Uses no desktop API, so it also works on servers. Returns a function
 * that stops watching. `woke`: called once for each sleep, up to a minute after the computer wakes. Must not throw.
 */
export function watchWaking(now: Clock, woke: () => void): () => void {
  let checkedAt = now();
  const timer = setInterval(() => {
    const moment = now();
    const slept = moment - checkedAt > lateMs;
    checkedAt = moment;
    if (slept) woke();
  }, checkMs).unref();
  return () => clearInterval(timer);
}

interface TrustedTimeOptions {
  /** The computer's clock. */
  readonly wall: Clock;
  /** A monotonic clock, in ms. It may stop while the computer sleeps. */
  readonly steady: Clock;
  /** The newest plausible time that an earlier process stored, in ms; null if no time was stored. */
  readonly latest: number | null;
  /** Returns whether other servers agree with the computer's clock. */
  readonly isConfirmed: () => boolean;
}

const day = 86_400_000;
/**
 * How far the clock can jump ahead, in ms, before other servers must confirm the time. A smaller jump is plausible,
 * because the computer may have slept, or Porchlight may have been closed.
 */
const longestGap = 60 * day;
/** The longest plausible step back, in ms. A corrected time zone can set the clock back by up to a day. */
const longestStepBack = day;

/**
 * Creates a clock for decisions that cannot be undone: ending a sign-in, giving up on a mention, or deleting an old
 * backup. After an implausible jump, this clock ignores the computer's time until that time is plausible again or other
 * servers agree with it.
 */
export function createTrustedTime({ wall, steady, latest, isConfirmed }: TrustedTimeOptions) {
  let base = { trusted: latest ?? wall(), steady: steady() };

  const expected = () => base.trusted + steady() - base.steady;

  /**
   * Returns how far the computer's clock is ahead of the expected time, in ms (negative if behind). Returns 0 if the
   * clock is plausible, or if other servers agree with it.
   */
  function lead(): number {
    const moment = wall();
    const ahead = moment - expected();
    const isPlausible = ahead <= longestGap && ahead >= -longestStepBack;
    if (!isPlausible && !isConfirmed()) return ahead;
    base = { trusted: moment, steady: steady() };
    return 0;
  }

  return {
    /**
     * Returns the computer's time, in ms. If that time is implausible, returns the last plausible time plus the time
     * that has passed since then on a monotonic clock.
     */
    now: () => (lead() === 0 ? wall() : Math.floor(expected())),
    /** Returns a warning for the owner; null while the computer's time is plausible. */
    problem(): string | null {
      const ahead = lead();
      return ahead === 0 ? null : jumpWords(wall(), ahead);
    },
  };
}

function jumpWords(moment: number, ahead: number): string {
  const date = new Date(moment).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  const days = `${Math.round(Math.abs(ahead) / day)} days ${ahead > 0 ? 'later' : 'earlier'}`;
  return `This computer’s clock shows ${date}, ${days} than Porchlight expects. Until other servers confirm the date or the clock is right again, no app is signed out, no mention is dropped, and no backup is deleted because of its age. Check the date in the system’s settings.`;
}

/**
 * Returns a signal that aborts after `ms`. Use it instead of `AbortSignal.timeout` in a call of `AbortSignal.any`. Node
 * 20, which Electron contains, may garbage-collect such a signal before the time is up.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  return controller.signal;
}
