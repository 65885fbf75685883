import type { Finding } from '../../contract/reach.ts';
import { type CheckWords, findingOf } from './check.ts';

/** A reading of another computer's clock. */
export interface ClockReading {
  /** The time in the response's Date header, plus the time that the response spent in caches, in ms since 1970. */
  readonly theirs: number;
  /** The time on this computer at the same moment, in ms since 1970. */
  readonly ours: number;
}

/** A clock is right if it is off by at most `nearMs`, and breaks sign-ins if it is off by more than `farMs`. */
const nearMs = 2 * 60_000;
const farMs = 12 * 60 * 60_000;

/**
 * Returns a clock reading from a response's Date (RFC 9110, 6.6.1) and Age (RFC 9111, 5.1) headers; null if the
 * response has no valid date.
 */
export function clockIn(headers: { get(name: string): string | null }, ours: number): ClockReading | null {
  const date = Date.parse(headers.get('date') ?? '');
  const age = Number(headers.get('age') ?? 0);
  if (Number.isNaN(date)) return null;
  return { theirs: date + (Number.isFinite(age) && age > 0 ? age * 1000 : 0), ours };
}

/**
 * Returns a finding about this computer's clock; null if there are no readings. Uses only the reading that is closest
 * to this computer's clock. The others may come from computers whose clocks are wrong.
 */
export function clockFinding(readings: readonly ClockReading[]): Finding | null {
  const offsets = readings.map(({ theirs, ours }) => ours - theirs);
  const [first, ...others] = offsets;
  if (first === undefined) return null;
  const off = others.reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best), first);
  const facts = { span: spanOf(Math.abs(off)), side: off > 0 ? 'ahead' : 'behind' };
  const verdict = Math.abs(off) <= nearMs ? 'pass' : Math.abs(off) > farMs ? 'far' : 'near';
  return findingOf(clockWords, 'computer', verdict, facts);
}

const fix = 'In this computer’s settings, turn on setting the date and time automatically.';

const clockWords: CheckWords<'pass' | 'near' | 'far'> = {
  id: 'clock',
  title: 'This computer’s clock is right',
  problem: 'This computer’s clock is wrong',
  words: {
    pass: { detail: 'It agrees with other computers.' },
    near: {
      level: 'warning',
      detail: 'It is {span} {side}. Sign-ins may expire too early or too late.',
      fix,
    },
    far: { detail: 'It is {span} {side}. Sign-ins fail, and certificates look invalid.', fix },
  },
};

function spanOf(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 2 ? `${hours} hours` : `${Math.round(ms / 60_000)} minutes`;
}
