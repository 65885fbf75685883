import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { checkPosts } from '../../../src-main/posts/check-posts.ts';
import type { PostStore } from '../../../src-main/posts/post-store.ts';
import { postTables } from '../../../src-main/posts/post-index.ts';
import { createPostStore } from '../../../src-main/posts/posts-on-disk.ts';
import { openIndex } from '../../../src-main/storage/index/index-database.ts';
import type { Acknowledged } from '../../support/post-writer.ts';
import { bundleProgram, killRounds as rounds } from '../../support/writer-program.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const lanes = 2;
/** A folder lives through this many kills: what one leaves, the next must find in order. */
const killsOfAFolder = 10;

/** Lets a writer work in `dir`, kills it at a random moment and answers the last it acknowledged of each post. */
async function writeUntilKilled(writer: string, dir: string): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [writer, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const last = new Map<string, Acknowledged>();
  let until = 1 + Math.floor(Math.random() * 15);
  for await (const line of createInterface({ input: child.stdout })) {
    const acknowledged = JSON.parse(line) as Acknowledged;
    last.set(acknowledged.path, acknowledged);
    // Anywhere in the writes that follow: between two system calls, or in one.
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 6);
  }
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
  return [...last.values()];
}

async function listed(posts: PostStore): Promise<Map<string, Post>> {
  const all = await Promise.all(
    [false, true].map((deleted) => posts.list({ limit: 10_000, filter: { deleted } })),
  );
  const items = all.flatMap((page) => page.items);
  const byPath = new Map(items.map((post) => [post.path, post]));
  expect(byPath.size).toBe(items.length);
  return byPath;
}

const versionOf = (post: Post | undefined) => Number(post?.properties.version?.[0]);

test(
  `posts survive ${rounds} kills at random moments: what was acknowledged is there, complete, and listed`,
  { timeout: 540_000 },
  async () => {
    const writer = await bundleProgram('post-writer', await temporaryFolder());
    let seen = 0;

    async function round(dir: string, before: Acknowledged[]): Promise<Acknowledged[]> {
      const acknowledged = [...before, ...(await writeUntilKilled(writer, dir))];
      // Nobody is there to be told: a broken document would be refused, not recovered.
      const index = openIndex(join(dir, 'index.sqlite'), [postTables]);
      const posts = createPostStore({ dir, index });
      const list = await listed(posts);
      for (const { path, version, deleted } of acknowledged) {
        const where = (await posts.movedTo(path)) ?? path;
        const post = list.get(where);
        expect(post, where).toEqual(await posts.get(where));
        expect(versionOf(post), where).toBeGreaterThanOrEqual(version);
        if (deleted) expect(post?.deletedAt, where).not.toBeNull();
        expect(post?.properties.filling).toEqual(['x'.repeat(3000)]);
      }
      expect(index.isTrusted(postTables)).toBe(true);
      expect(await checkPosts(dir, index)).toEqual({ posts: list.size, problems: [] });
      // Half of the time the index is closed, so that its next kill finds one that was trusted.
      await posts.close();
      if (acknowledged.length % 2 === 0) index.close();
      seen += acknowledged.length - before.length;
      return acknowledged;
    }

    async function lane(): Promise<void> {
      let dir = '';
      let acknowledged: Acknowledged[] = [];
      for (let kills = 0; kills < rounds / lanes; kills += 1) {
        if (kills % killsOfAFolder === 0) [dir, acknowledged] = [await temporaryFolder(), []];
        acknowledged = await round(dir, acknowledged);
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(seen).toBeGreaterThan(rounds);
  },
);
