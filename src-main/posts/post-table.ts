import { Type } from 'typebox';
import { kindRules } from '../contract/post-kinds.ts';
import { closed, orNull } from '../contract/shapes.ts';
import { UnsavedEdits } from '../contract/writing.ts';
import { openedSchema } from '../storage/document-format.ts';
import { documentKinds } from '../storage/document-kinds.ts';
import { jsonIn } from '../storage/json-value.ts';
import { asChecked, readRow, recordTable, type Row } from '../storage/records/record-table.ts';
import { isValid } from '../storage/schema-check.ts';
import { EarlierPost, type Edits, postFormat, StoredPost } from './post-document.ts';
import { isSlug, type PostPlace } from './post-path.ts';
import { begunLimits } from './rendering/begun-post.ts';

const PostId = Type.String({ pattern: '^[\\w-]{16,64}$' });
const longestJson = documentKinds.post;

/** What a row says: a post, or the path to which a post has moved. Of a lost post, which is doubtful, it says neither. */
export interface PostRow {
  readonly place: PostPlace;
  /** How many times the row was changed. The file copy has the number of the row that it shows. */
  readonly counter: number;
  /** The id of the post, which stays when the post moves; null for a redirect. */
  readonly id: string | null;
  readonly post: StoredPost | null;
  readonly movedTo: string | null;
  /** Whether something newer may be missing after a repair. Nobody sees the post until its file or the owner decides. */
  readonly isDoubtful: boolean;
}

/** The statement that creates the full-text table. A row has the `seq` of its post as its rowid. */
export const createPostWords =
  "CREATE VIRTUAL TABLE IF NOT EXISTS post_words USING fts5 (words, tokenize = 'trigram case_sensitive 1')";

/**
 * The posts, and the redirects from their former paths. The declared columns are the truth; everything else is derived
 * from them, for lists, filters and counts. A row whose `filed` is NULL isn't filed yet: it comes from a repair, and its
 * other columns are derived before the site opens.
 *
 * `position`: a unique string that sorts posts by time; NULL if the row is in no list: for a redirect, and for a doubtful
 * post. `listed`: whether the post is published, public and not deleted, regardless of its date. `behind`: whether
 * publishing to the owner's own site may be unfinished (see isBehind). `copy`: the version of the file copy that was
 * written or read last (see stampOf). `begun`: what lists show of a very long post (see begunPost), so that they don't
 * read it. `list_counts`: the number of posts in each category, kind and month; its column
 * `kept` counts the posts that are not deleted. `post_homes`: the current and former URLs on the owner's own site, each
 * with its address (see addressOfPage). `post_words`: the names, summaries, texts, alt texts and categories.
 */
export const postTable = recordTable({
  name: 'posts',
  row: closed({
    month: Type.String({ pattern: '^\\d{4}/(0[1-9]|1[0-2])$' }),
    slug: Type.String({ minLength: 1, maxLength: 200 }),
    counter: Type.Integer({ minimum: 1 }),
    doubtful: Type.Union([Type.Literal(0), Type.Literal(1)]),
    id: orNull(PostId),
    post: orNull(Type.String({ maxLength: longestJson })),
    moved_to: orNull(Type.String({ maxLength: 2000 })),
  }),
  read({ month, slug, counter, doubtful, id, post, moved_to: movedTo }): PostRow | undefined {
    const read = post === null ? null : jsonIn(post);
    const isSound =
      isSlug(slug) &&
      // Both are missing if the file of a post that was read first is damaged.
      ((post === null) !== (movedTo === null) || (post === null && doubtful === 1)) &&
      (post === null) === (id === null) &&
      (read === null || isValid(storedPost, read));
    if (!isSound) return undefined;
    return { place: { month, slug }, counter, id, post: read, movedTo, isDoubtful: doubtful === 1 };
  },
  inFiles: {
    folder: 'posts',
    query: `SELECT month || '/' || slug || '.json' AS path, json_patch(json_object('format', ${postFormat.format},
        'post', json(post), 'movedTo', moved_to, 'movedFrom', NULL, 'history', json((
          SELECT json_group_array(json(version)) FROM (
            SELECT version FROM post_versions v WHERE v.post = p.id ORDER BY number DESC))),
        'edits', json((SELECT edits FROM post_edits e WHERE e.post = p.id)), 'counter', counter),
        json_object('id', id, 'doubtful', iif(doubtful = 1, json('true'), NULL))) AS text
      FROM posts p WHERE post IS NOT NULL OR moved_to IS NOT NULL ORDER BY month`,
  },
  cleaned: asChecked,
  create: `
    CREATE TABLE IF NOT EXISTS posts (
      seq INTEGER PRIMARY KEY, month TEXT NOT NULL, slug TEXT NOT NULL, counter INTEGER NOT NULL,
      doubtful INTEGER NOT NULL DEFAULT 0, id TEXT UNIQUE, moved_to TEXT,
      filed INTEGER, copy TEXT, position TEXT UNIQUE, at INTEGER, kind TEXT, status TEXT, visibility TEXT,
      deleted INTEGER, listed INTEGER, app TEXT, homeless INTEGER, behind INTEGER, home TEXT,
      -- Last, because SQLite reads through a long text to get to the columns behind it.
      begun TEXT, post TEXT,
      UNIQUE (month, slug)) STRICT;
    CREATE INDEX IF NOT EXISTS posts_to_file ON posts (seq) WHERE filed IS NULL;
    CREATE INDEX IF NOT EXISTS posts_doubtful ON posts (seq) WHERE doubtful = 1;
    CREATE INDEX IF NOT EXISTS posts_by_kind ON posts (kind, position);
    CREATE INDEX IF NOT EXISTS posts_not_listed ON posts (position) WHERE listed = 0;
    CREATE INDEX IF NOT EXISTS posts_listed ON posts (position, at) WHERE listed = 1;
    CREATE INDEX IF NOT EXISTS posts_by_month ON posts (month, position) WHERE listed = 1;
    CREATE INDEX IF NOT EXISTS posts_by_year ON posts (substr(month, 1, 4), position) WHERE listed = 1;
    CREATE INDEX IF NOT EXISTS posts_homeless ON posts (seq) WHERE homeless = 1;
    -- Also those whose page was never seen.
    CREATE INDEX IF NOT EXISTS posts_behind ON posts (seq) WHERE behind = 1;
    CREATE TABLE IF NOT EXISTS post_categories (
      name TEXT NOT NULL, position TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (name, position))
      STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS post_categories_by_post ON post_categories (post);
    CREATE TABLE IF NOT EXISTS list_counts (
      list TEXT NOT NULL, name TEXT NOT NULL, kept INTEGER NOT NULL, listed INTEGER NOT NULL,
      PRIMARY KEY (list, name)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS post_files (
      path TEXT NOT NULL, position TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (path, position))
      STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS post_files_by_post ON post_files (post);
    CREATE TABLE IF NOT EXISTS post_homes (
      url TEXT NOT NULL, address TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (url, post)) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS post_homes_by_address ON post_homes (address);
    CREATE INDEX IF NOT EXISTS post_homes_by_post ON post_homes (post);
    CREATE TABLE IF NOT EXISTS post_written (
      file TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (file, post)) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS post_written_by_post ON post_written (post);
    -- See postState.
    CREATE TABLE IF NOT EXISTS post_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    ${createPostWords}`,
  format: 1,
  /** A post that only the copy has may have been changed or deleted since then. Its file or the owner decides. */
  merge: (older, damaged) => damaged ?? (older && { ...older, doubtful: 1 as const }),
  distrusted: (row) => ({ ...row, doubtful: 1 as const }),
});

const storedPost = openedSchema(StoredPost);

/** The rules by which columns are derived from posts. If they change, all rows are filed again. */
export const filingRules = JSON.stringify([kindRules, begunLimits]);

/** The earlier versions of posts. The newest has the highest number. */
export const postVersionTable = recordTable({
  name: 'post_versions',
  row: closed({
    post: PostId,
    number: Type.Integer({ minimum: 1 }),
    version: Type.String({ maxLength: longestJson }),
  }),
  read({ version }): EarlierPost | undefined {
    const read = jsonIn(version);
    return isValid(earlierPost, read) ? read : undefined;
  },
  inFiles: null,
  cleaned: asChecked,
  create: `CREATE TABLE IF NOT EXISTS post_versions (
    post TEXT NOT NULL, number INTEGER NOT NULL, version TEXT NOT NULL, UNIQUE (post, number)) STRICT;`,
  format: 1,
});

const earlierPost = openedSchema(EarlierPost);

/** The changes that the owner has made in the editor but not saved to the post. */
export const postEditsTable = recordTable({
  name: 'post_edits',
  row: closed({ post: PostId, edits: Type.String({ maxLength: longestJson }) }),
  read({ edits }): Edits | undefined {
    const read = jsonIn(edits);
    return isValid(unsavedEdits, read) ? read : undefined;
  },
  inFiles: null,
  cleaned: asChecked,
  create: `CREATE TABLE IF NOT EXISTS post_edits (
    post TEXT NOT NULL UNIQUE, edits TEXT NOT NULL) STRICT;`,
  format: 1,
});

const unsavedEdits = openedSchema(UnsavedEdits);

export const postTables = [postTable, postVersionTable, postEditsTable] as const;

/** The declared columns of a post's row, for queries. */
export const postColumns = 'p.month, p.slug, p.counter, p.doubtful, p.id, p.post, p.moved_to';

/** The same, with what lists show of a very long post in place of the post. */
export const begunColumns = postColumns.replace('p.post', 'coalesce(p.begun, p.post) AS post');

/**
 * Returns what a row with the columns of `postColumns` says.
 * @throws the error of a damaged database
 */
export const readPostRow = ({
  month = null,
  slug = null,
  counter = null,
  doubtful = null,
  id = null,
  post = null,
  moved_to = null,
}: Row): PostRow =>
  readRow<typeof postTable.row, PostRow>(postTable, { month, slug, counter, doubtful, id, post, moved_to });
