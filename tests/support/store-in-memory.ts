import { silentLog } from '../../src-main/platform/log.ts';
import type { OwnerPostStore } from '../../src-main/posts/micropub/owner-post-store.ts';
import { postChanges } from '../../src-main/posts/post-changes.ts';
import { postTables } from '../../src-main/posts/post-table.ts';
import { createPostStore } from '../../src-main/posts/stored-posts.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { memoryRecords } from './memory-records.ts';

/** A store of posts in a database that is only in memory, without file copies. */
export function storeInMemory(): OwnerPostStore {
  const records = memoryRecords(postTables);
  const changes = postChanges({ records, versions: createVersions(), log: silentLog });
  return createPostStore({ records, changes, base: () => 'https://porch.example' });
}
