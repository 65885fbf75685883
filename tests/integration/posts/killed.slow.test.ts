import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { checkPosts } from '../../../src-main/posts/check-posts.ts';
import type { PostStore } from '../../../src-main/posts/post-store.ts';
import { expectSound, newStoreWithFiles } from '../../support/post-folder.ts';
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
  `posts survive ${rounds} kills at random moments: each acknowledged post is complete, listed, and in its file`,
  { timeout: 540_000 },
  async () => {
    const writer = await bundleProgram('post-writer', await temporaryFolder());
    let seen = 0;

    async function round(dir: string, before: Acknowledged[]): Promise<Acknowledged[]> {
      const acknowledged = [...before, ...(await writeUntilKilled(writer, dir))];
      const { records, recoveries, copies, files, posts, close } = await newStoreWithFiles(dir);
      const list = await listed(posts);
      for (const { path, version, deleted } of acknowledged) {
        const where = (await posts.movedTo(path)) ?? path;
        const post = list.get(where);
        expect(post, where).toEqual(await posts.get(where));
        expect(versionOf(post), where).toBeGreaterThanOrEqual(version);
        if (deleted) expect(post?.deletedAt, where).not.toBeNull();
        expect(post?.properties.filling).toEqual(['x'.repeat(3000)]);
      }
      await expectSound(records);
      // The files that were still to be written are written now, and say what the rows say.
      await copies.settled();
      expect(await files.look()).toEqual({
        changed: [],
        added: [],
        missing: [],
        ended: [],
        unreadable: [],
        conflicts: [],
      });
      expect(recoveries).toEqual([]);
      expect(await checkPosts(dir)).toEqual({ posts: list.size, problems: [] });
      await close();
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
