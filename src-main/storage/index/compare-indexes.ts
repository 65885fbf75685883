import { isDeepStrictEqual } from 'node:util';
import type { IndexDatabase, Row } from './index-database.ts';

/**
 * Compares an index with a newly built one, and yields a message for each difference. `compared`: the queries whose
 * results must be equal, by the name that the messages use. Each query returns rows in a fixed order, with their
 * `place`.
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
