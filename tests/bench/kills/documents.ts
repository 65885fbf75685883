import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';

/** A post as its row says. */
export interface StoredPost {
  /** Such as `/posts/2026/03/slug`. */
  readonly path: string;
  readonly properties: Record<string, unknown[]>;
  readonly status: string;
  readonly visibility: string;
  readonly deletedAt: string | null;
}

/** A mention as its row says. */
export interface StoredMention {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly status: string;
  readonly received: string;
}

/** The data folder as its files and its database tell it, read without any of the server's code but SQLite. */
export interface Documents {
  readonly posts: readonly StoredPost[];
  /** What the rows of posts say, and what the file copies of posts say, by path: the post, or where it has moved. */
  readonly rowTexts: ReadonlyMap<string, string>;
  readonly copyTexts: ReadonlyMap<string, string>;
  /** The sizes of media files, by their path below the media folder. */
  readonly files: ReadonlyMap<string, number>;
  readonly mentions: readonly StoredMention[];
  /** Files that the server moved aside because it could not use them, or took them for edited. */
  readonly aside: readonly string[];
}

/** Reads the documents of a data folder. */
export function documentsIn(dataDir: string): Documents {
  const all = filesBelow(dataDir);
  const below = (folder: string) =>
    all.filter((file) => file.startsWith(`${folder}/`)).map((file) => file.slice(folder.length + 1));
  const read = (file: string) => readFileSync(path.join(dataDir, file), 'utf8');
  const rows = rowsIn(dataDir, 'SELECT month, slug, post, moved_to FROM posts').map((row) => ({
    path: `/posts/${String(row['month'])}/${String(row['slug'])}`,
    post: row['post'] === null ? null : (JSON.parse(String(row['post'])) as Omit<StoredPost, 'path'>),
    movedTo: row['moved_to'],
  }));
  const copies = below('posts')
    .filter((file) => /^\d{4}\/\d\d\/[^.]+\.json$/.test(file))
    .map((file) => {
      const { post, movedTo } = JSON.parse(read(`posts/${file}`)) as { post: unknown; movedTo: unknown };
      return { path: `/posts/${file.slice(0, -'.json'.length)}`, post, movedTo };
    });
  const textsOf = (those: readonly { path: string; post: unknown; movedTo: unknown }[]) =>
    new Map(those.map(({ path, post, movedTo }) => [path, JSON.stringify(post ?? movedTo)]));
  const files = below('media').filter((file) => /^\d{4}\/\d\d\/[^/]+\.pdf$/.test(file));
  return {
    posts: rows.flatMap(({ path, post }) => (post ? [{ ...post, path }] : [])),
    rowTexts: textsOf(rows),
    copyTexts: textsOf(copies),
    files: new Map(files.map((file) => [file, readFileSync(path.join(dataDir, 'media', file)).length])),
    mentions: rowsIn(dataDir, 'SELECT mention FROM mentions').map(
      ({ mention }) => JSON.parse(String(mention)) as StoredMention,
    ),
    aside: all.filter((file) => file.includes('.broken-') || file.includes('.json.edited')),
  };
}

/** The webmentions that posts send, as the server's queue tells it. */
export interface Sending {
  /** How many wait to be sent. */
  readonly waiting: number;
  /** The paths of posts whose last change is followed later, because the server was ended before. */
  readonly unfollowed: ReadonlySet<string>;
}

/** Reads what is still to be sent. */
export function sendingIn(dataDir: string): Sending {
  // One query, because what is followed becomes what waits.
  const [row] = rowsIn(
    dataDir,
    `SELECT (SELECT count(*) FROM deliveries WHERE state = 'waiting') AS waiting,
       (SELECT json_group_array(key) FROM work WHERE kind = 'follow-post') AS unfollowed,
       (SELECT json_group_object('/posts/' || month || '/' || slug, moved_to)
          FROM posts WHERE moved_to IS NOT NULL) AS moved`,
  );
  const moved = JSON.parse(String(row?.['moved'])) as Record<string, string>;
  const endOf = (path: string): string => (moved[path] === undefined ? path : endOf(moved[path]));
  const unfollowed = JSON.parse(String(row?.['unfollowed'])) as string[];
  return { waiting: Number(row?.['waiting']), unfollowed: new Set(unfollowed.map(endOf)) };
}

/** Runs a query, as another connection beside the server's. */
function rowsIn(dataDir: string, sql: string): Record<string, string | number | null>[] {
  const database = new DatabaseSync(path.join(dataDir, 'records.sqlite'), { readOnly: true, timeout: 5000 });
  try {
    return database.prepare(sql).all() as Record<string, string | number | null>[];
  } finally {
    database.close();
  }
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
}
