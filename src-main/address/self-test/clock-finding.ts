import type { Finding } from '../../contract/reach.ts';

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
  const finding = { id: 'clock', area: 'computer', title: 'This computer’s clock is wrong' } as const;
  if (Math.abs(off) <= nearMs) {
    const title = 'This computer’s clock is right';
    return { ...finding, level: 'pass', title, detail: 'It agrees with other computers.' };
  }
  const fix = 'In this computer’s settings, turn on setting the date and time automatically.';
  const detail = `It is ${spanOf(Math.abs(off))} ${off > 0 ? 'ahead' : 'behind'}.`;
  const isFar = Math.abs(off) > farMs;
  const effect = isFar
    ? 'Sign-ins fail, and certificates look invalid.'
    : 'Sign-ins may expire too early or too late.';
  return { ...finding, level: isFar ? 'fail' : 'warning', detail: `${detail} ${effect}`, fix };
}

function spanOf(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 2 ? `${hours} hours` : `${Math.round(ms / 60_000)} minutes`;
}
