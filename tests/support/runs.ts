/**
 * Returns how often a test of a property draws a random sample: `all`, and a fifth of that in the quick run of npm test
 * (see scripts/test.ts).
 */
export const runs = (all: number): number =>
  process.env['PORCHLIGHT_QUICK'] === '1' ? Math.ceil(all / 5) : all;
