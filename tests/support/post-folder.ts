import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Post, Properties } from '../../src-main/contract/posts.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { createFileCopies } from '../../src-main/posts/file-copies.ts';
import { createFileReading } from '../../src-main/posts/file-reading.ts';
import { postChanges } from '../../src-main/posts/post-changes.ts';
import type { ChooseHome, PostContent, PostFilter, PostStore } from '../../src-main/posts/post-store.ts';
import { postTables } from '../../src-main/posts/post-table.ts';
import { createPostStore } from '../../src-main/posts/stored-posts.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { cellsOf, insertInto, type Row } from '../../src-main/storage/records/record-table.ts';
import { openRecords, type Records } from '../../src-main/storage/records/records.ts';
import type { Recovery } from '../../src-main/storage/recovery.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { workTable } from '../../src-main/storage/work/work-rows.ts';
import { memoryRecords } from './memory-records.ts';
import { temporaryFolder } from './storage-folder.ts';

export const now = Date.parse('2026-11-20T10:00:00Z');
export const month = '2026/11';
/** The public origin of the stores. */
export const origin = 'https://porch.example';
const base = () => origin;

export function content(properties: Properties, rest: Partial<PostContent> = {}): PostContent {
  return { type: ['h-entry'], properties, commands: {}, status: 'published', visibility: 'public', ...rest };
}

export const note = (text: string, published?: string) =>
  content({ content: [text], ...(published !== undefined && { published: [published] }) });

interface StoreOptions {
  /** The data folder; by default, a new one. */
  readonly dir?: string;
  readonly chooseHome?: ChooseHome;
}

/**
 * Opens the posts of a data folder, which have no file copies. `addresses`: at which there may be another page, in the
 * order in which this was noticed. `reopened`: the folder after a restart.
 */
export async function newStore({ dir, chooseHome }: StoreOptions = {}) {
  const folder = dir ?? (await temporaryFolder());
  const { records, close } = await openPostRecords(folder);
  const addresses: string[] = [];
  const versions = createVersions();
  const changes = postChanges({
    records,
    versions,
    log: silentLog,
    addressesChanged: (changed) => void addresses.push(...changed),
  });
  return {
    dir: folder,
    records,
    versions,
    changes,
    addresses,
    posts: createPostStore({ records, changes, base, homeChooser: () => chooseHome }),
    reopened: async () => {
      await close();
      return newStore({ dir: folder, ...(chooseHome && { chooseHome }) });
    },
  };
}

/** Opens the posts of a data folder, whose file copies are written as in the service. `posts`: their folder. */
export async function newStoreWithFiles(dir?: string) {
  const folder = dir ?? (await temporaryFolder());
  const { records, close } = await openPostRecords(folder);
  const recoveries: Recovery[] = [];
  const work = await openWork({ records, now: Date.now, online: () => true, log: silentLog });
  const changes = postChanges({ records, versions: createVersions(), log: silentLog, work });
  const postsDir = join(folder, 'posts');
  const copies = createFileCopies(postsDir, changes.reads, work);
  const files = createFileReading({
    dir: postsDir,
    records,
    changes,
    copies,
    log: silentLog,
    base,
    onRecovered: (recovery) => void recoveries.push(recovery),
    changed: () => undefined,
  });
  await files.open();
  work.start();
  const end = async () => {
    files.close();
    await work.stop();
    await close();
  };
  onTestFinished(end);
  return {
    dir: folder,
    records,
    recoveries,
    changes,
    copies,
    files,
    posts: createPostStore({ records, changes, copies, reading: files, base }),
    fileOf: (path: string) => join(folder, `${path}.json`),
    close: end,
    reopened: async () => {
      await end();
      return newStoreWithFiles(folder);
    },
  };
}

/** The database of posts in a folder, which is closed when the test ends. */
async function openPostRecords(dir: string): Promise<{ records: Records; close: () => Promise<void> }> {
  const records = await openRecords({ dir, tables: [...postTables, workTable], log: silentLog });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= records.close());
  onTestFinished(close);
  return { records, close };
}

const derived = {
  posts: `SELECT month, slug, filed, position, at, kind, status, visibility, deleted, listed, app, homeless, behind, home, begun
    FROM posts ORDER BY month, slug`,
  categories: `SELECT c.name, c.position, month, slug FROM post_categories c LEFT JOIN posts p ON p.seq = c.post
    ORDER BY 1, 2`,
  files: `SELECT f.path, f.position, month, slug FROM post_files f LEFT JOIN posts p ON p.seq = f.post ORDER BY 1, 2`,
  homes: `SELECT h.url, h.address, month, slug FROM post_homes h LEFT JOIN posts p ON p.seq = h.post
    ORDER BY 1, 3, 4`,
  written: `SELECT w.file, month, slug FROM post_written w LEFT JOIN posts p ON p.seq = w.post ORDER BY 1, 2, 3`,
  words: `SELECT w.words, month, slug FROM post_words w LEFT JOIN posts p ON p.seq = w.rowid ORDER BY 2, 3`,
  counts: 'SELECT * FROM list_counts WHERE kept <> 0 OR listed <> 0 ORDER BY list, name',
};

/** Checks that everything derived from posts is the same when it is derived again, and that nothing of a removed post is left. */
export async function expectSound(records: Pick<Records, 'rows'>): Promise<void> {
  const rebuilt = memoryRecords(postTables);
  const [table] = postTables;
  const rows = records.rows(
    (row) => row,
    'SELECT month, slug, counter, doubtful, id, post, moved_to FROM posts ORDER BY seq',
  );
  await rebuilt.write(({ run }) => {
    for (const row of rows) run(insertInto(table), ...cellsOf(table, row));
  });
  const changes = postChanges({ records: rebuilt, versions: createVersions(), log: silentLog });
  await changes.write((writes) => writes.fileSome(rows.length));
  const tables = ({ rows: read }: Pick<Records, 'rows'>) =>
    Object.fromEntries(
      Object.entries(derived).map(([name, sql]) => [name, read((row: Row) => ({ ...row }), sql)]),
    );
  expect(tables(records)).toEqual(tables(rebuilt));
  for (const of of ['post_versions', 'post_edits'])
    expect(
      records.rows(
        ({ post }) => post,
        `SELECT post FROM ${of} WHERE post NOT IN (SELECT id FROM posts
        WHERE id IS NOT NULL)`,
      ),
    ).toEqual([]);
}

export const pathsOf = ({ items }: { items: Post[] }) => items.map(({ path }) => path);

export async function everyPath(posts: PostStore, limit: number, filter?: PostFilter): Promise<string[]> {
  const paths: string[] = [];
  let after: string | undefined;
  do {
    const page = await posts.list({
      limit,
      ...(after !== undefined && { after }),
      ...(filter && { filter }),
    });
    paths.push(...pathsOf(page));
    ({ after } = page);
  } while (after !== undefined);
  return paths;
}

export const refused = { code: 'invalid_request', status: 400 };
