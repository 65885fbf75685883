import { isDeepStrictEqual } from 'node:util';
import type { IndexDatabase, Row } from './index-database.ts';

/**
 * Compares an index with one that was made anew, and says in words where they differ. `compared`: what must be the same,
 * by the name that a problem gives it: statements that find rows in one order, each with its `place`.
 */
export function* differences(
  kept: IndexDatabase,
  made: IndexDatabase,
  compared: Readonly<Record<string, string>>,
): Generator<string> {
  for (const [name, sql] of Object.entries(compared)) {
    const [found, wanted] = [kept.rows(asItIs, sql), made.rows(asItIs, sql)];
    const at = Array.from({ length: Math.max(found.length, wanted.length) }).findIndex(
      (_, row) => !isDeepStrictEqual(found[row], wanted[row]),
    );
    const place = found[at]?.['place'] ?? wanted[at]?.['place'];
    if (at >= 0) yield `The index of ${name} differs from the documents, first at ${place}.`;
  }
}

const asItIs = (row: Row) => row;
