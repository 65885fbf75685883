import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import { isFolder, monthsIn, stampOf } from '../storage/file-facts.ts';
import { mapAtOnce } from '../storage/pacing.ts';
import type { Records } from '../storage/records/records.ts';
import {
  copyPath,
  documentOf,
  type FileCopies,
  type FoundFile,
  noteCopy,
  readCopy,
  saysTheSame,
} from './file-copies.ts';
import type { PostChanges } from './post-changes.ts';
import type { PostDocument } from './post-document.ts';
import { type PostPlace, readMonthFolder } from './post-path.ts';
import type { PostRow } from './post-table.ts';

/** How the files of posts differ from the rows. All lists have paths below the folder of posts. */
export interface FilesFound {
  /** Files that somebody edited. */
  readonly changed: readonly string[];
  /** Files of posts that have no row. */
  readonly added: readonly string[];
  /** Posts whose file is gone. */
  readonly missing: readonly string[];
  /** Files that are older than their posts, which were deleted or hidden since then. */
  readonly ended: readonly string[];
  /** Files that can't be read, each with the reason. */
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
  /** Files in which programs that synchronize the folder kept other versions. */
  readonly conflicts: readonly string[];
}

interface LookDeps {
  /** The folder of all posts. */
  readonly dir: string;
  readonly records: Pick<Records, 'rows'>;
  readonly changes: PostChanges;
  readonly copies: Pick<FileCopies, 'isWaiting'>;
}

/** How many files are read at once, and before rows are written. */
export const filesAtOnce = 32;
/** The maximum number of names in each list. */
const mostNamed = 1000;

export const noDifferences: FilesFound = {
  changed: [],
  added: [],
  missing: [],
  ended: [],
  unreadable: [],
  conflicts: [],
};

/** Looks for files that differ from their rows. Reads only those that have changed since they were written. */
export async function differencesOf(deps: LookDeps, signal: AbortSignal): Promise<FilesFound> {
  const { dir, records } = deps;
  if (!(await isFolder(dir))) return noDifferences;
  const lists = {
    changed: [] as string[],
    added: [] as string[],
    missing: [] as string[],
    ended: [] as string[],
    unreadable: [] as { file: string; reason: string }[],
    conflicts: [] as string[],
  };
  const months = new Set([...(await monthsIn(dir)), ...monthsOfRows(records)]);
  for (const month of [...months].sort().reverse()) {
    const rows = copiesIn(records, month);
    const { documents, conflicts } = await readMonthFolder(join(dir, month));
    lists.conflicts.push(...conflicts.map((name) => `${month}/${name}`));
    const slugs = [...new Set([...documents, ...rows.keys()])];
    for (let start = 0; start < slugs.length; start += filesAtOnce) {
      signal.throwIfAborted();
      await mapAtOnce(slugs.slice(start, start + filesAtOnce), async (slug) => {
        const place = { month, slug };
        const what = await differenceAt(deps, place, rows.get(slug));
        if (what === undefined) return;
        const file = `${month}/${slug}.json`;
        if (what.kind === 'unreadable') lists.unreadable.push({ file, reason: what.reason });
        else lists[what.kind].push(file);
      });
      await nextTurn();
    }
  }
  for (const list of Object.values(lists)) list.splice(mostNamed);
  return lists;
}

type Difference =
  | { readonly kind: 'changed' | 'added' | 'missing' | 'ended' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Returns how a file differs from its row; undefined if it doesn't. `copy`: the version of the file in the row. */
async function differenceAt(
  { dir, changes: { reads, write }, copies }: LookDeps,
  place: PostPlace,
  copy: string | null | undefined,
): Promise<Difference | undefined> {
  const file = copyPath(dir, place);
  if (copies.isWaiting(place)) return undefined;
  if (copy !== undefined && copy !== null && (await stampOf(file)) === copy) return undefined;
  const read = await readIfPossible(file);
  const row = reads.at(place);
  if (read.state === 'missing') return row && !copies.isWaiting(place) ? { kind: 'missing' } : undefined;
  if (read.state === 'unreadable') return { kind: 'unreadable', reason: read.reason };
  if (row === undefined) return { kind: 'added' };
  const document = documentOf(row, reads);
  // Another copy of what Porchlight wrote, such as one that a backup has brought back.
  if (saysTheSame(read.document, document)) {
    await write((_writes, transaction) => noteCopy(transaction, place, read.stamp));
    return undefined;
  }
  // The row has changed meanwhile, and its file follows or has followed.
  if (copies.isWaiting(place) || reads.copyOf(place) === (await stampOf(file))) return undefined;
  return { kind: isEndedIn(row, read.document) ? 'ended' : 'changed' };
}

const monthsOfRows = (records: LookDeps['records']): string[] =>
  records.rows(({ month }) => String(month), 'SELECT DISTINCT month FROM posts');

/** Returns the versions of the file copies of a month, by slug; null for a row that has none yet. */
const copiesIn = (records: LookDeps['records'], month: string): Map<string, string | null> =>
  new Map(
    records.rows(
      ({ slug, copy }) => [String(slug), copy === null ? null : String(copy)] as const,
      'SELECT slug, copy FROM posts WHERE month = ?',
      month,
    ),
  );

/** Reads a file. One that the system doesn't give must not keep the others away. */
export const readIfPossible = (file: string): Promise<FoundFile> =>
  readCopy(file).catch((error: unknown) => {
    if (!(error instanceof PorchlightError) || error.code !== 'storage_unreadable') throw error;
    return { state: 'unreadable', reason: error.message };
  });

/** Returns whether a file would bring back what was deleted or hidden after it was written. */
function isEndedIn({ post, counter }: PostRow, file: PostDocument): boolean {
  const isHidden = (one: PostDocument['post']) =>
    one === null || one.deletedAt !== null || one.visibility === 'private' || one.status === 'draft';
  return (file.counter ?? 0) < counter && isHidden(post) && !isHidden(file.post);
}
