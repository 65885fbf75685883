import type { Clock } from './clock.ts';

export interface TrustedTimeOptions {
  /** The computer's clock. */
  readonly wall: Clock;
  /** A monotonic clock, in ms. It may stop while the computer sleeps. */
  readonly steady: Clock;
  /** The newest plausible time that an earlier process stored, in ms; null if there is none. */
  readonly latest: number | null;
  /** Whether other servers say that the computer's clock is right. */
  readonly isConfirmed: () => boolean;
}

const day = 86_400_000;
/** How long the computer may sleep, or Porchlight may be closed, before other servers must confirm the time. */
const longestGap = 60 * day;
/** Correcting the time zone can set a clock back by up to a day. A larger step back is a fault. */
const longestStepBack = day;

/**
 * Creates a clock for decisions that cannot be undone: ending a sign-in, giving up on a mention, or deleting an old
 * backup. After an implausible jump, the computer's clock is ignored until it is plausible again or
 * other servers agree with it.
 */
export function createTrustedTime({ wall, steady, latest, isConfirmed }: TrustedTimeOptions) {
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
    /**
     * Returns the computer's time, in ms. While that is implausible, returns the last plausible time plus the time that
     * has passed since on a monotonic clock.
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
