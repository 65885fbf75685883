/** What came of a run of tests or checks. */
export interface Tally {
  readonly passed: number;
  /** What failed: a check's or a test's name, with its file. */
  readonly failed: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** Both together. */
export function add(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: [...one.failed, ...other.failed],
    skipped: [...one.skipped, ...other.skipped],
  };
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
