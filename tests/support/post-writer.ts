import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../src-main/platform/log.ts';
import { createFileCopies } from '../../src-main/posts/file-copies.ts';
import { postChanges } from '../../src-main/posts/post-changes.ts';
import type { PostContent } from '../../src-main/posts/post-store.ts';
import { postTables } from '../../src-main/posts/post-table.ts';
import { createPostStore } from '../../src-main/posts/stored-posts.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { workTable } from '../../src-main/storage/work/work-rows.ts';

// A process of its own, for tests to kill:
//   post-writer.ts DIR   makes, changes, moves and deletes posts in DIR without end, one line an acknowledged action

/** What was acknowledged: where the post is, its version, and whether it is deleted. */
export interface Acknowledged {
  path: string;
  version: number;
  deleted: boolean;
}

/** A line that is out before the next statement, whatever kills this process then. */
const say = (acknowledged: Acknowledged) => writeSync(1, `${JSON.stringify(acknowledged)}\n`);

const content = (version: number): PostContent => ({
  type: ['h-entry'],
  properties: { content: ['The same words for all'], version: [version], filling: ['x'.repeat(3000)] },
  commands: {},
  status: 'published',
  visibility: 'public',
});

async function writeWithoutEnd(dir: string): Promise<never> {
  const now = () => Date.now();
  const records = await openRecords({ dir, tables: [...postTables, workTable], log: silentLog });
  const work = await openWork({ records, now, online: () => true, log: silentLog });
  const changes = postChanges({ records, versions: createVersions(), log: silentLog, work });
  const copies = createFileCopies(join(dir, 'posts'), changes.reads, work);
  const posts = createPostStore({ records, changes, copies, base: () => 'https://porch.example' });
  work.start();

  async function liveOnePost(number: number): Promise<void> {
    const { path } = await posts.create(content(1), { now: now() });
    say({ path, version: 1, deleted: false });
    await posts.change(path, () => content(2), { now: now() });
    say({ path, version: 2, deleted: false });
    if (number % 2 === 0) {
      await posts.setDeleted(path, true, now());
      say({ path, version: 2, deleted: true });
    } else {
      await posts.change(path, () => content(3), { slug: 'moved', now: now() });
      say({ path, version: 3, deleted: false });
    }
  }

  for (let burst = 1; ; burst += 1) {
    await Promise.all(Array.from({ length: 1 + (burst % 3) }, (_, index) => liveOnePost(burst + index)));
  }
}

const [dir] = process.argv.slice(2);
if (dir !== undefined) await writeWithoutEnd(dir);
