import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';

/** A post as its document holds it. */
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
  /** The sizes of media files, by their path below the media folder. */
  readonly files: ReadonlyMap<string, number>;
  readonly mentions: readonly StoredMention[];
  /** Files that the server moved aside because it could not use them. */
  readonly aside: readonly string[];
}

/** Reads the documents of a data folder. */
export function documentsIn(dataDir: string): Documents {
  const all = filesBelow(dataDir);
  const below = (folder: string) =>
    all.filter((file) => file.startsWith(`${folder}/`)).map((file) => file.slice(folder.length + 1));
  const read = (file: string) => readFileSync(path.join(dataDir, file), 'utf8');
  const posts = below('posts')
    .filter((file) => /^\d{4}\/\d\d\/[^.]+\.json$/.test(file))
    .map((file) => {
      const { post } = JSON.parse(read(`posts/${file}`)) as { post: Omit<StoredPost, 'path'> | null };
      return post && { ...post, path: `/posts/${file.slice(0, -'.json'.length)}` };
    })
    .filter((post) => post !== null);
  const files = below('media').filter((file) => /^\d{4}\/\d\d\/[^/]+\.pdf$/.test(file));
  return {
    posts,
    files: new Map(files.map((file) => [file, readFileSync(path.join(dataDir, 'media', file)).length])),
    mentions: mentionsIn(dataDir),
    aside: all.filter((file) => file.includes('.broken-')),
  };
}

/** Reads the mentions, as another connection beside the server's. */
function mentionsIn(dataDir: string): StoredMention[] {
  const database = new DatabaseSync(path.join(dataDir, 'records.sqlite'), { readOnly: true, timeout: 5000 });
  try {
    const rows = database.prepare('SELECT mention FROM mentions').all();
    return rows.map(({ mention }) => JSON.parse(String(mention)) as StoredMention);
  } finally {
    database.close();
  }
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
}
