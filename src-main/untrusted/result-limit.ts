import type { Jobs } from './serve-jobs.ts';

const mostCharacters = 10_000_000;
const mostValues = 100_000;
const deepest = 100;

/**
 * Returns the same jobs with a limit on their results: 10 million characters, 100,000 values, and 100 levels. An object
 * that occurs repeatedly counts each time, because the main thread may write it out each time, for example as JSON. A
 * job with a larger result fails.
 */
export function limited<J extends Jobs>(jobs: J): J {
  const entries = Object.entries(jobs).map(([name, job]) => [
    name,
    (input: never) => {
      const result = job(input);
      checkSize(result);
      return result;
    },
  ]);
  return Object.fromEntries(entries) as J;
}

function checkSize(result: unknown): void {
  let characters = 0;
  let values = 0;
  const count = (value: unknown, depth: number): void => {
    values += 1;
    characters += typeof value === 'string' ? value.length : ArrayBuffer.isView(value) ? value.byteLength : 0;
    if (values > mostValues || characters > mostCharacters || depth > deepest)
      throw new Error('The result of the job is too large.');
    const isList = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
    for (const [name, inner] of isList ? Object.entries(value) : []) {
      characters += name.length;
      count(inner, depth + 1);
    }
  };
  count(result, 0);
}
