/** The result of a run of tests or checks. */
export interface Tally {
  readonly passed: number;
  /** What failed: a check's or a test's name, with its file. */
  readonly failed: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** How long each check and each test file took. */
  readonly times: readonly Time[];
}

export interface Time {
  readonly of: 'check' | 'file';
  readonly name: string;
  readonly seconds: number;
}

export const nothing: Tally = { passed: 0, failed: [], skipped: [], times: [] };

/** Both together. */
export function add(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: [...one.failed, ...other.failed],
    skipped: [...one.skipped, ...other.skipped],
    times: [...one.times, ...other.times],
  };
}

/** Returns how long each check took, and the ten test files that took longest. */
export function timesOf({ times }: Tally): string {
  const line = ({ name, seconds }: Time) => `${seconds.toFixed(0).padStart(5)} s  ${name}`;
  const files = times.filter((time) => time.of === 'file').sort((one, other) => other.seconds - one.seconds);
  return [
    'Time of the checks:',
    ...times.filter((time) => time.of === 'check').map(line),
    'Slowest test files:',
    ...files.slice(0, 10).map(line),
  ].join('\n');
}

/**
 * The skipped tests by their reasons, then what failed, and at the end the one line that counts everything. Often only
 * the end of a log is kept.
 */
export function summaryOf({ passed, failed, skipped }: Tally): string {
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of skipped) reasons.set(reason, [...(reasons.get(reason) ?? []), `  ${name}`]);
  const lists = [...reasons].map(([reason, names]) => [`Skipped, ${reason}:`, ...names].join('\n'));
  const failures = failed.map((name) => `Failed: ${name}`);
  return [...lists, ...failures, `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`].join(
    '\n',
  );
}
