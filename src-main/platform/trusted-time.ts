import type { Clock } from './clock.ts';

/** A clock by which something may end for good: a sign-in, the retries of a mention, an old backup. */
export interface TrustedTime {
  /**
   * Returns the computer's time, in ms. While that is implausible, returns the last plausible time and what has passed
   * since on a clock that nobody sets.
   */
  readonly now: Clock;
  /** Returns what the owner should know; null while the computer's time is plausible. */
  problem(): string | null;
}

export interface TrustedTimeOptions {
  /** The computer's clock. */
  readonly wall: Clock;
  /** A clock that nobody sets, in ms. It may stand still while the computer sleeps. */
  readonly steady: Clock;
  /** The newest plausible time that an earlier process wrote down, in ms; null if there is none. */
  readonly latest: number | null;
  /** Whether other servers say that the computer's clock is right. */
  readonly isConfirmed: () => boolean;
}

const day = 86_400_000;
/** A computer may sleep, or Porchlight may be closed, for this long. A longer gap needs the word of other servers. */
const longestGap = 60 * day;
/** Clocks are corrected by as much as a time zone. A larger step back is a fault. */
const longestStepBack = day;

/** Returns trusted time. Nothing is believed of a clock that jumps until it is back, or other servers agree with it. */
export function createTrustedTime({ wall, steady, latest, isConfirmed }: TrustedTimeOptions): TrustedTime {
  let base = { trusted: latest ?? wall(), steady: steady() };

  const expected = () => base.trusted + steady() - base.steady;

  /** Returns how far the computer's clock is ahead of the expected time, in ms; 0 if it is plausible. */
  function lead(): number {
    const moment = wall();
    const ahead = moment - expected();
    const isPlausible = ahead <= longestGap && ahead >= -longestStepBack;
    if (!isPlausible && !isConfirmed()) return ahead;
    base = { trusted: moment, steady: steady() };
    return 0;
  }

  return {
    now: () => (lead() === 0 ? wall() : Math.floor(expected())),
    problem() {
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
