import { isDeepStrictEqual } from 'node:util';
import { inMemory, openIndex, type IndexDatabase, type IndexPart, type Row } from './index-database.ts';

/**
 * Compares the index `kept` with a new index that `fill` builds from the files. Adds a message to `problems` for the
 * first difference in each query's rows. Doesn't change `kept`. If `kept` is missing or untrusted, only calls `fill`,
 * because the next startup builds or updates the index anyway. `compared`: the queries that must return equal rows from
 * both indexes, keyed by the name that messages use. Each query returns rows in a fixed order. Each row has a column
 * `place` for use in messages.
 */
export async function compareWithNew(
  { tables, compared, kept }: { tables: IndexPart; compared: Compared; kept: IndexDatabase | undefined },
  problems: string[],
  fill: (made: IndexDatabase) => Promise<void>,
): Promise<void> {
  const made = openIndex(inMemory, [tables]);
  try {
    await fill(made);
    // Problems in the files would also make the indexes differ, so compare the indexes only if the files have no
    // problems.
    if (problems.length === 0 && kept?.isTrusted(tables)) problems.push(...differences(kept, made, compared));
  } finally {
    made.close();
  }
}

type Compared = Readonly<Record<string, string>>;

function* differences(kept: IndexDatabase, made: IndexDatabase, compared: Compared): Generator<string> {
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
