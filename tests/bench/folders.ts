import { cp } from 'node:fs/promises';
import path from 'node:path';
import { indexName } from '../../src-main/storage/index/index-database.ts';
import { checkoutOf, root } from './checkout.ts';
import { fillWithMentions } from './mention-folder.ts';
import type { BenchOptions } from './options.ts';
import { fillWithPosts, postCodeOf } from './post-folder.ts';
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

/** Returns each checkout with a little data and with much. Each has its own copy of the data, and its index is built. */
export async function filledPrograms(
  folder: string,
  those: readonly Checkout[],
  { posts, mentions }: Pick<BenchOptions, 'posts' | 'mentions'>,
): Promise<Program[]> {
  const programs: Program[] = [];
  // An earlier version refuses posts of a later format.
  const oldest = await postCodeOf(those[0]?.root ?? root);
  for (const [suffix, size] of [
    ['', little],
    ['Much', { posts, mentions }],
  ] as const) {
    console.log(`${size.posts} posts and ${size.mentions} mentions ...`);
    const filled = path.join(folder, `filled${suffix}`);
    const post = await fillWithPosts(filled, size.posts, oldest);
    await fillWithMentions(filled, size.mentions, `${publicUrl}${post}`);
    for (const { name, root } of those) {
      const dataDir = path.join(folder, `${name}${suffix}`);
      await copyWithoutIndex(filled, dataDir);
      programs.push({ name: `${name}${suffix}`, root, dataDir, post, mentions: size.mentions });
    }
  }
  for (const program of programs) await (await startServer(program)).house.stop();
  return programs;
}

async function copyWithoutIndex(from: string, to: string): Promise<void> {
  const index = path.join(from, indexName);
  await cp(from, to, { recursive: true, filter: (file) => !file.startsWith(index) });
}
