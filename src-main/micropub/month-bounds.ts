const day = 86_400_000;

/** The earliest moment that a clock somewhere may show as `month` (`2026/11`), in ms. */
export const earliestIn = (month: string) => startOf(month) - day;

/** The latest moment that a clock somewhere may show as `month`, in ms. */
export function latestIn(month: string): number {
  // The 32nd day after a first is always in the next month.
  const next = new Date(startOf(month) + 31 * day);
  return startOf(next.toISOString().slice(0, 7)) + day - 1;
}

const startOf = (month: string) => Date.parse(`${month.replace('/', '-')}-01T00:00:00Z`);
