import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { previousOf } from '../storage/file-content.ts';
import { isFolder, isThere, monthsIn, stampOf } from '../storage/file-facts.ts';
import { PorchlightError } from '../contract/error.ts';
import { RetryLater } from '../http/errors.ts';
import type { Log } from '../platform/log.ts';
import { openDocument } from '../storage/document.ts';
import { mapAtOnce } from '../storage/pacing.ts';
import type { Records } from '../storage/records/records.ts';
import type { Recovery } from '../storage/recovery.ts';
import {
  copyPath,
  documentOf,
  type FileCopies,
  type FoundFile,
  noteCopy,
  readCopy,
  saysTheSame,
} from './file-copies.ts';
import { fed, postAt, type PostDocument, postFormat } from './post-document.ts';
import { postPath, postPlace, type PostPlace, readMonthFolder } from './post-path.ts';
import { newPostId, type PostWrites } from './post-rows.ts';
import { filingRules, type PostRow } from './post-table.ts';
import { type PostChanges, postsAtOnce } from './post-changes.ts';

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

interface ReadingOptions {
  /** The folder of all posts. */
  readonly dir: string;
  readonly records: Pick<Records, 'rows' | 'whenSound'>;
  readonly changes: PostChanges;
  readonly copies: Pick<FileCopies, 'addIn' | 'isWaiting'>;
  readonly log: Pick<Log, 'warn'>;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the public origin. */
  readonly base: () => string;
  /** Called when the progress or what was found has changed. */
  readonly changed: () => void;
}

/** How many files are read before their rows are written. */
const filesAtOnce = 32;
/** The maximum number of names in each list. */
const mostNamed = 1000;
/** The shortest time between two messages about the progress, in ms. */
const reportEveryMs = 1000;

/** Reads the files of posts: all of them into a database that hasn't read them yet, and edits when the owner asks. */
export function createFileReading({
  dir,
  base,
  records,
  changes,
  copies,
  log,
  onRecovered,
  changed,
}: ReadingOptions) {
  const { reads, write } = changes;
  const closing = new AbortController();
  let progress: { done: number; total: number } | undefined;
  let found: FilesFound = nothing;

  /** Files the rows that a repair or a move has brought, or whose rules have changed. */
  async function fileRows(): Promise<void> {
    const rules = createHash('sha256').update(filingRules).digest('base64url');
    if (reads.state('rules') !== rules)
      await write((writes, { run }) => {
        if (reads.state('rules') !== undefined) run('UPDATE posts SET filed = NULL');
        writes.setState('rules', rules);
      });
    const isAny = () =>
      records.rows(() => true, 'SELECT 1 FROM posts WHERE filed IS NULL LIMIT 1').length > 0;
    while (isAny()) {
      closing.signal.throwIfAborted();
      await write((writes) => writes.fileSome(postsAtOnce));
    }
  }

  /** Reads all files into rows. What is in a row already stays, unless its file is newer. A kill continues it. */
  async function readAll(): Promise<void> {
    const months = await monthsIn(dir);
    const folders = await mapAtOnce(months, async (month) => ({
      month,
      slugs: [...(await readMonthFolder(join(dir, month))).documents],
    }));
    progress = { done: 0, total: folders.reduce((sum, { slugs }) => sum + slugs.length, 0) };
    const moves: [from: PostPlace, to: PostPlace][] = [];
    let reportedAt = -Infinity;
    for (const { month, slugs } of folders) {
      for (let start = 0; start < slugs.length; start += filesAtOnce) {
        closing.signal.throwIfAborted();
        const places = slugs.slice(start, start + filesAtOnce).map((slug) => ({ month, slug }));
        const files = await mapAtOnce(places, async (place) => ({ place, file: await recovered(place) }));
        await write((writes, transaction) => {
          for (const { place, file } of files) {
            if (file.state === 'unreadable' && !writes.has(place))
              writes.put(place, 'lost', { isDoubtful: true });
            if (file.state !== 'whole') continue;
            const from = postPlace(file.document.movedFrom ?? '');
            if (from && file.document.post) moves.push([from, place]);
            if (takeIn(writes, place, file.document, base())) noteCopy(transaction, place, file.stamp);
          }
        });
        progress = { ...progress, done: progress.done + places.length };
        if (performance.now() - reportedAt > reportEveryMs) {
          reportedAt = performance.now();
          changed();
        }
        await nextTurn();
      }
    }
    await write((writes, transaction) => {
      for (const [from, to] of moves) if (finishMove(writes, from, to)) copies.addIn(transaction, from);
      writes.setState('read', '1');
    });
    progress = undefined;
    changed();
  }

  /** Reads a file. If it is broken, takes its previous version, which earlier versions of Porchlight kept beside it. */
  async function recovered(place: PostPlace): Promise<FoundFile> {
    const file = copyPath(dir, place);
    const read = await readIfPossible(file);
    if (read.state !== 'unreadable' || !(await isThere(previousOf(file)))) return read;
    try {
      const document = await openDocument({ ...postFormat, file, onRecovered });
      return { state: 'whole', document: document.data, stamp: document.stamp, isSealed: false };
    } catch (error) {
      log.warn({ err: error, path: postPath(place) }, 'the file of a post could not be read');
      return read;
    }
  }

  /** Looks for files that differ from their rows. Reads only those that have changed since they were written. */
  async function look(): Promise<FilesFound> {
    if (!(await isFolder(dir))) return nothing;
    const lists = {
      changed: [] as string[],
      added: [] as string[],
      missing: [] as string[],
      ended: [] as string[],
      unreadable: [] as { file: string; reason: string }[],
      conflicts: [] as string[],
    };
    const months = new Set([...(await monthsIn(dir)), ...monthsOfRows()]);
    for (const month of [...months].sort().reverse()) {
      const rows = copiesIn(month);
      const { documents, conflicts } = await readMonthFolder(join(dir, month));
      lists.conflicts.push(...conflicts.map((name) => `${month}/${name}`));
      const slugs = [...new Set([...documents, ...rows.keys()])];
      for (let start = 0; start < slugs.length; start += filesAtOnce) {
        closing.signal.throwIfAborted();
        await mapAtOnce(slugs.slice(start, start + filesAtOnce), async (slug) => {
          const place = { month, slug };
          const what = await differenceAt(place, rows.get(slug));
          if (what === undefined) return;
          const file = `${month}/${slug}.json`;
          if (what.kind === 'unreadable') lists.unreadable.push({ file, reason: what.reason });
          else lists[what.kind].push(file);
        });
        await nextTurn();
      }
    }
    const { unreadable, ...rest } = lists;
    const cut = <T>(list: readonly T[]): readonly T[] => list.slice(0, mostNamed);
    return {
      changed: cut(rest.changed),
      added: cut(rest.added),
      missing: cut(rest.missing),
      ended: cut(rest.ended),
      unreadable: cut(unreadable),
      conflicts: cut(rest.conflicts),
    };
  }

  type Difference =
    | { readonly kind: 'changed' | 'added' | 'missing' | 'ended' }
    | { readonly kind: 'unreadable'; readonly reason: string };

  /** Returns how a file differs from its row; undefined if it doesn't. `copy`: the version of the file in the row. */
  async function differenceAt(
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

  const monthsOfRows = (): string[] =>
    records.rows(({ month }) => String(month), 'SELECT DISTINCT month FROM posts');

  /** Returns the versions of the file copies of a month, by slug; null for a row that has none yet. */
  const copiesIn = (month: string): Map<string, string | null> =>
    new Map(
      records.rows(
        ({ slug, copy }) => [String(slug), copy === null ? null : String(copy)] as const,
        'SELECT slug, copy FROM posts WHERE month = ?',
        month,
      ),
    );

  return {
    /** Reads what the database has not read yet. Call it before the site opens, and after each repair. */
    open: (): Promise<void> =>
      records.whenSound(async () => {
        await fileRows();
        if (reads.state('read') === undefined) await readAll().finally(() => (progress = undefined));
      }),
    /** Returns how many files have been read, while all of them are read; undefined otherwise. */
    progress: () => progress,
    /** Looks for files that differ from their rows, and remembers them. */
    async look(): Promise<FilesFound> {
      found = await look();
      changed();
      return found;
    },
    /** What was found last. */
    found: (): FilesFound => found,
    /** Stops reading. */
    close: (): void => closing.abort(),
  };
}

const nothing: FilesFound = { changed: [], added: [], missing: [], ended: [], unreadable: [], conflicts: [] };

/** Returns the error for what can't be done while files are read. */
export const postsBeingRead = () =>
  new RetryLater(
    'The posts are being read. This takes a moment. Try again in a few seconds.',
    retryAfterMs,
    503,
  );
const retryAfterMs = 3000;

/** Reads a file. One that the system doesn't give must not keep the others away. */
const readIfPossible = (file: string): Promise<FoundFile> =>
  readCopy(file).catch((error: unknown) => {
    if (!(error instanceof PorchlightError) || error.code !== 'storage_unreadable') throw error;
    return { state: 'unreadable', reason: error.message };
  });

/**
 * Takes a file into its row, if the row is missing or older. Returns whether the file shows its row now.
 */
function takeIn(writes: PostWrites, place: PostPlace, document: PostDocument, base: string): boolean {
  const { post, movedTo, history, edits, counter = 1 } = document;
  const row = writes.at(place);
  if (row !== undefined && !(counter > row.counter || (row.isDoubtful && counter === row.counter)))
    return counter === row.counter && saysTheSame(document, documentOf(row, writes));
  if (post === null) {
    if (movedTo !== null) writes.put(place, { movedTo }, { counter });
    return true;
  }
  const known = document.id;
  const isCopied = known !== undefined && isTaken(writes, known, place);
  const id = known === undefined || isCopied ? newPostId() : known;
  const { feedId, ...rest } = post;
  const own = isCopied || feedId === undefined ? rest : { ...rest, feedId };
  const isDoubtful = document.doubtful === true;
  writes.put(place, { post: fed(postAt(place, own), base), id }, { counter, isDoubtful });
  writes.setHistory(id, history);
  writes.setEdits(id, edits);
  return true;
}

/** Returns whether another post has an id. */
function isTaken(writes: PostWrites, id: string, place: PostPlace): boolean {
  const at = writes.placeOf(id);
  return at !== undefined && postPath(at) !== postPath(place);
}

/** Finishes the move of a post that an earlier version of Porchlight left at both paths. */
function finishMove(writes: PostWrites, from: PostPlace, to: PostPlace): boolean {
  const [left, moved] = [writes.at(from)?.post, writes.at(to)?.post];
  if (!left || !moved || left.createdAt !== moved.createdAt) return false;
  writes.put(from, { movedTo: postPath(to) });
  return true;
}

/** Returns whether a file would bring back what was deleted or hidden after it was written. */
function isEndedIn({ post, counter }: PostRow, file: PostDocument): boolean {
  const isHidden = (one: PostDocument['post']) =>
    one === null || one.deletedAt !== null || one.visibility === 'private' || one.status === 'draft';
  return (file.counter ?? 0) < counter && isHidden(post) && !isHidden(file.post);
}

export type FileReading = ReturnType<typeof createFileReading>;
