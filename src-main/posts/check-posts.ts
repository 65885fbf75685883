import { join } from 'node:path';
import { monthsIn } from '../storage/file-facts.ts';
import { mapAtOnce } from '../storage/pacing.ts';
import { readRecords } from '../storage/records/closed-records.ts';
import { readCopy } from './file-copies.ts';
import { postPath, postPlace, readMonthFolder } from './post-path.ts';
import { postTable } from './post-table.ts';

export interface PostCheck {
  /** The number of posts, deleted or not. */
  posts: number;
  /** The problems found, as messages for the owner. */
  problems: string[];
}

/**
 * Reads the file of every post in `dir`, and counts the posts: those in the database of the data folder `dataDir`, or the
 * files if the database has read none yet, as in a backup.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`
 */
export async function checkPosts(dataDir: string): Promise<PostCheck> {
  const dir = join(dataDir, 'posts');
  const problems: string[] = [];
  let inFiles = 0;
  for (const month of await monthsIn(dir)) {
    const slugs = [...(await readMonthFolder(join(dir, month))).documents];
    await mapAtOnce(slugs, async (slug) => {
      const path = postPath({ month, slug });
      const found = await readCopy(join(dir, month, `${slug}.json`));
      if (found.state === 'unreadable') problems.push(`${path} cannot be used: ${found.reason}.`);
      if (found.state !== 'whole') return;
      const { post, movedTo } = found.document;
      if (post !== null) inFiles += 1;
      else if (movedTo !== null && postPlace(movedTo) === undefined) problems.push(`${path} leads nowhere.`);
    });
  }
  const inRows = await readRecords(dataDir, postTable, (database) => {
    const isRead = database.prepare("SELECT 1 FROM post_state WHERE name = 'read'").get() !== undefined;
    return isRead
      ? Number(database.prepare('SELECT count(*) AS n FROM posts WHERE post IS NOT NULL').get()?.['n'])
      : undefined;
  });
  return { posts: typeof inRows === 'number' ? inRows : inFiles, problems };
}
