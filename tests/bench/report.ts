/** A heading of the report. */
export const heading = (text: string) => console.log(`\n${text}`);

/** One line: what, how much, and how that compares. */
export const row = (name: string, value: string, aim = '') =>
  console.log(`${name.padEnd(52)}${value.padStart(12)}   ${aim}`);

/** A ratio against something measured in the same run. */
export const ratio = (value: number, baseline: number) => (value / baseline).toFixed(2);
