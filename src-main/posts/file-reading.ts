import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { previousOf } from '../storage/file-content.ts';
import { isThere, monthsIn } from '../storage/file-facts.ts';
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
  saysTheSame,
} from './file-copies.ts';
import {
  differencesOf,
  filesAtOnce,
  type FilesFound,
  noDifferences,
  readIfPossible,
} from './file-differences.ts';
import { fed, postAt, type PostDocument, postFormat } from './post-document.ts';
import { postPath, postPlace, type PostPlace, readMonthFolder } from './post-path.ts';
import { newPostId, type PostWrites } from './post-rows.ts';
import { filingRules } from './post-table.ts';
import { type PostChanges, postsAtOnce } from './post-changes.ts';

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
  let found: FilesFound = noDifferences;

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
      found = await differencesOf({ dir, records, changes, copies }, closing.signal);
      changed();
      return found;
    },
    /** What was found last. */
    found: (): FilesFound => found,
    /** Stops reading. */
    close: (): void => closing.abort(),
  };
}

/** Returns the error for what can't be done while files are read. */
export const postsBeingRead = () =>
  new RetryLater(
    'The posts are being read. This takes a moment. Try again in a few seconds.',
    retryAfterMs,
    503,
  );
const retryAfterMs = 3000;

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

export type FileReading = ReturnType<typeof createFileReading>;
