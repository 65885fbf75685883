import { randomBytes } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import { documentExcess } from '../storage/document-kinds.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { EarlierPost, Edits, StoredPost } from './post-document.ts';
import { type FilingRules, PostFiling } from './post-filing.ts';
import { postPath, type PostPlace } from './post-path.ts';
import { postReads, type PostState, textOfCell } from './post-reads.ts';
import { postColumns, readPostRow } from './post-table.ts';

/** What a row gets. `lost`: for a post whose file is damaged, and of which there is no row. Such a row is doubtful. */
export type RowContent =
  | { readonly post: StoredPost; readonly id: string }
  | { readonly movedTo: string }
  | 'lost';

export type PostWrites = ReturnType<typeof postWrites>;

/** Creates the changes to posts in a transaction. */
export function postWrites({ rows, run }: Pick<Transaction, 'rows' | 'run'>, rules: FilingRules) {
  const reads = postReads(rows);
  const filing = new PostFiling({ rows, run }, rules);
  return {
    ...reads,

    /**
     * Writes a post or a redirect. Its counter is one more than before, and at least `counter`.
     * @throws PorchlightError `storage_invalid` if the post is larger than Porchlight would read again
     */
    put(place: PostPlace, content: RowContent, { counter = 1, isDoubtful = false } = {}): void {
      const found =
        content === 'lost'
          ? { id: null, post: null, movedTo: null }
          : { id: null, post: null, movedTo: null, ...content };
      const text = found.post && JSON.stringify(found.post);
      const excess = text === null ? undefined : documentExcess(text, 'post');
      if (excess !== undefined)
        throw new PorchlightError('storage_invalid', `This post cannot be kept: ${excess}.`, 500);
      filing.changing(place, (seq) => {
        if (seq !== undefined) filing.unfile(seq);
        const [row] = rows(
          `INSERT INTO posts (month, slug, counter, doubtful, id, post, moved_to) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (month, slug) DO UPDATE SET counter = max(counter + 1, excluded.counter),
             doubtful = excluded.doubtful, id = excluded.id, post = excluded.post, moved_to = excluded.moved_to,
             filed = NULL
           RETURNING seq`,
          place.month,
          place.slug,
          counter,
          isDoubtful ? 1 : 0,
          found.id,
          text,
          found.movedTo,
        );
        filing.file(Number(row?.['seq']), { ...found, place, isDoubtful });
      });
    },

    /** Counts a change of a post of which its row says nothing: of its earlier versions or unsaved edits. */
    touch: ({ month, slug }: PostPlace): void =>
      void run('UPDATE posts SET counter = counter + 1 WHERE month = ? AND slug = ?', month, slug),

    /** Removes the row of a post or a redirect. */
    remove(place: PostPlace): void {
      filing.changing(place, (seq) => {
        if (seq === undefined) return;
        const [row] = rows('SELECT id FROM posts WHERE seq = ?', seq);
        filing.unfile(seq);
        run('DELETE FROM posts WHERE seq = ?', seq);
        const id = textOfCell(row?.['id']);
        if (id !== undefined)
          for (const table of ['post_versions', 'post_edits']) run(`DELETE FROM ${table} WHERE post = ?`, id);
      });
    },

    /** Replaces the earlier versions of a post, newest first, if they have changed. */
    setHistory: (id: string, history: readonly EarlierPost[]): void => putHistory({ rows, run }, id, history),

    setEdits(id: string, edits: Edits | null): void {
      if (edits === null) run('DELETE FROM post_edits WHERE post = ?', id);
      else run('INSERT OR REPLACE INTO post_edits VALUES (?, ?)', id, JSON.stringify(edits));
    },

    /** Files up to `most` rows that aren't filed yet. Returns how many there were. */
    fileSome(most: number): number {
      const found = rows(
        `SELECT p.seq, ${postColumns} FROM posts p WHERE filed IS NULL ORDER BY seq LIMIT ?`,
        most,
      );
      for (const row of found) {
        const seq = Number(row['seq']);
        // A rule of filing may have changed.
        filing.unfile(seq);
        const read = readPostRow(row);
        filing.file(seq, read);
        const addresses = [...filing.homesOf(seq), ...(read.movedTo === null ? [] : [postPath(read.place)])];
        filing.changedAddresses(addresses);
      }
      if (found.length > 0) filing.changed();
      return found.length;
    },

    /** Adds the words of a post, whose change left them for later. */
    addWordsOf(place: PostPlace): void {
      const seq = filing.rowAt(place)?.seq;
      const post = reads.at(place)?.post;
      if (seq === undefined || !post) return;
      run('DELETE FROM post_words WHERE rowid = ?', seq);
      filing.addWords(seq, post);
    },

    /** Adds up to `most` posts after the row `after` to the full-text table. Returns the last one; undefined if none. */
    addWords(after: number, most: number): number | undefined {
      const found = rows(
        `SELECT p.seq, ${postColumns} FROM posts p WHERE seq > ? AND position IS NOT NULL ORDER BY seq LIMIT ?`,
        after,
        most,
      );
      for (const row of found) {
        const { post } = readPostRow(row);
        run('DELETE FROM post_words WHERE rowid = ?', Number(row['seq']));
        if (post) filing.addWords(Number(row['seq']), post);
      }
      return found.length === 0 ? undefined : Number(found.at(-1)?.['seq']);
    },

    /** Writes the changed words. Otherwise, SQLite does that later in the transaction, among the changes of others. */
    flush(): void {
      run('SAVEPOINT words');
      run('RELEASE words');
    },

    setState(name: PostState, value: string | undefined): void {
      if (value === undefined) run('DELETE FROM post_state WHERE name = ?', name);
      else run('INSERT OR REPLACE INTO post_state VALUES (?, ?)', name, value);
    },
  };
}

/** Replaces the earlier versions of a post; see setHistory. */
function putHistory(
  { rows, run }: Pick<Transaction, 'rows' | 'run'>,
  id: string,
  history: readonly EarlierPost[],
): void {
  const texts = history.map((version) => JSON.stringify(version));
  const known = rows('SELECT number, version FROM post_versions WHERE post = ? ORDER BY number DESC', id);
  const newest = Number(known[0]?.['number'] ?? 0);
  // Most changes add one version, and leave out the oldest at most.
  const added = texts.findIndex((text) => text === known[0]?.['version']);
  const count = added === -1 ? texts.length : added;
  const isSame = texts.slice(count).every((text, index) => text === known[index]?.['version']);
  if (isSame && count === 0 && texts.length === known.length) return;
  if (!isSame || count === texts.length) run('DELETE FROM post_versions WHERE post = ?', id);
  else {
    const oldest = Number(known[texts.length - count - 1]?.['number'] ?? 0);
    run('DELETE FROM post_versions WHERE post = ? AND number < ?', id, oldest);
  }
  const fresh = isSame ? texts.slice(0, count) : texts;
  for (const [index, text] of fresh.entries())
    run('INSERT INTO post_versions VALUES (?, ?, ?)', id, newest + fresh.length - index, text);
}

/** Returns an id for a new post. */
export const newPostId = (): string => randomBytes(12).toString('base64url');
