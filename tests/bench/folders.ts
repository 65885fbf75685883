import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { recordsName } from '../../src-main/storage/records/records-file.ts';
import { DatabaseSync } from '../../src-main/storage/sqlite.ts';
import { checkoutOf, root } from './checkout.ts';
import type * as MentionFolder from './mention-folder.ts';
import type { BenchOptions } from './options.ts';
import type * as PostFolder from './post-folder.ts';
import { publicUrl, startServer, type Program } from './servers.ts';

const little = { posts: 100, mentions: 100 };

/** The checkouts to compare: of the commit before, if there is one, and this one. */
export interface Checkout {
  readonly name: 'before' | 'now';
  readonly root: string;
}

/** Returns the built checkouts. Prints a line if the commit before is not in the repository. */
export function checkouts(before: string): Checkout[] {
  const now: Checkout = { name: 'now', root };
  if (before === 'none') return [now];
  const checkout = checkoutOf(before);
  if (checkout !== undefined) return [{ name: 'before', root: checkout }, now];
  console.log(`The repository does not have the commit ${before}, so its column is left out.`);
  return [now];
}

/**
 * Returns each checkout with a little data and with much. Each has a folder of its own, which its own code has filled,
 * and with which its server has started once.
 */
export async function filledPrograms(
  folder: string,
  those: readonly Checkout[],
  { posts, mentions }: Pick<BenchOptions, 'posts' | 'mentions'>,
): Promise<Program[]> {
  const programs: Program[] = [];
  for (const [suffix, size] of [
    ['', little],
    ['Much', { posts, mentions }],
  ] as const)
    for (const { name, root } of those) {
      console.log(`${name}: ${size.posts} posts and ${size.mentions} mentions ...`);
      const dataDir = path.join(folder, `${name}${suffix}`);
      const post = await fill({ root, dataDir, ...size });
      const program = { name: `${name}${suffix}`, root, dataDir, post, mentions: size.mentions } as const;
      programs.push(program);
      const { house } = await startServer(program);
      for (let app = 0; app < size.posts / postsPerApp; app += 1)
        await house.call('apps.issueToken', { label: `App ${app}`, scopes: ['create'] });
      await house.stop();
    }
  return programs;
}

/** With so many posts more, one app more has access. */
const postsPerApp = 50;

/** Fills a folder with the code of a checkout. Returns the path of the newest post, which has 20 responses. */
export async function fill({
  root,
  dataDir,
  posts,
  mentions,
}: {
  readonly root: string;
  readonly dataDir: string;
  readonly posts: number;
  readonly mentions: number;
}): Promise<string> {
  const load = (file: string) => import(pathToFileURL(path.join(root, 'tests/bench', file)).href);
  const { fillWithPosts } = (await load('post-folder.ts')) as typeof PostFolder;
  const { fillWithMentions } = (await load('mention-folder.ts')) as typeof MentionFolder;
  const post = await fillWithPosts(dataDir, posts);
  await fillWithMentions(dataDir, mentions, `${publicUrl}${post}`);
  await removeIndex(dataDir);
  return post;
}

/** Removes the index that earlier versions have beside the files of posts. Their server makes one with all of its tables. */
async function removeIndex(dataDir: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm'])
    await rm(path.join(dataDir, `index.sqlite${ending}`), { force: true });
}

const tablesOfPosts = [
  ...['posts', 'post_versions', 'post_edits', 'post_categories', 'post_files', 'post_homes', 'post_written'],
  ...['post_state', 'post_words', 'list_counts'],
];

/** Leaves a data folder with the posts in their files only, as after an update or a restore. */
export async function forgetPosts(dataDir: string): Promise<void> {
  await removeIndex(dataDir);
  const database = new DatabaseSync(path.join(dataDir, recordsName));
  if (database.prepare("SELECT 1 FROM work WHERE kind = 'file'").get() !== undefined)
    throw new Error('The files of some posts are still to be written.');
  for (const name of tablesOfPosts) database.exec(`DROP TABLE IF EXISTS ${name}`);
  database.close();
}
