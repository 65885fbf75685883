import { silentLog } from '../../src-main/platform/log.ts';
import { type PostChanges, postChanges } from '../../src-main/posts/post-changes.ts';
import { postLists } from '../../src-main/posts/post-lists.ts';
import { postTables } from '../../src-main/posts/post-table.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { memoryRecords } from './memory-records.ts';

/**
 * The tables of posts in a database that is only in memory, with their queries, changes and lists. `addresses`: at which
 * there may be another page, in the order in which this was noticed.
 */
export function memoryPostRows() {
  const records = memoryRecords(postTables);
  const versions = createVersions();
  const addresses: string[] = [];
  const changes = postChanges({
    records,
    versions,
    log: silentLog,
    addressesChanged: (changed) => void addresses.push(...changed),
  });
  const { reads } = changes;
  const write: PostChanges['write'] = (change, how) => changes.write(change, how);
  const searched: PostChanges['searched'] = (query) => changes.searched(query);
  return {
    records,
    versions,
    addresses,
    reads,
    searched,
    write,
    lists: postLists(records, searched),
  };
}
