import { existsSync } from 'node:fs';
import path from 'node:path';
import { indexParts } from './index-parts.ts';
import { checkMedia } from '../media/check-media.ts';
import { checkMentions } from '../mentions/check-mentions.ts';
import { checkPosts } from '../micropub/check-posts.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { indexName, openIndexToRead, type IndexDatabase } from '../storage/index/index-database.ts';
import { recordsProblems } from '../storage/records/check-records.ts';
import { recordTables } from './record-tables.ts';
import { queueProblems } from '../webmention/waiting-work.ts';

type FolderCheck = Awaited<ReturnType<typeof checkFolder>>;

/**
 * Checks a data folder without changing it: reads every post, every mention, the queue of unverified mentions and the
 * database, checks every file, and compares posts, files and mentions with the indexes. Returns the number of
 * posts, files and mentions, and a message for the owner about each problem. `between`: called between the steps; if it
 * throws, the check ends with that error.
 * @throws PorchlightError `folder_in_use` if a running Porchlight process uses the folder, because a file that the
 * process is still writing would be reported as unfinished
 */
export async function checkFolder(dataDir: string, between: () => void = () => undefined) {
  if (!existsSync(dataDir)) {
    return { posts: 0, files: 0, mentions: 0, problems: [`The folder ${dataDir} doesn’t exist.`] };
  }
  const lock = await lockFolder(dataDir);
  let index: IndexDatabase | undefined;
  try {
    index = openIndexToRead(path.join(dataDir, indexName), indexParts);
    const posts = await checkPosts(path.join(dataDir, 'posts'), index);
    between();
    const media = await checkMedia(dataDir);
    between();
    const mentions = await checkMentions(path.join(dataDir, 'mentions'), index);
    const queue = await queueProblems(path.join(dataDir, 'webmentions'));
    const records = await recordsProblems(dataDir, recordTables);
    const problems = [...posts.problems, ...media.problems, ...mentions.problems, ...queue, ...records];
    return { posts: posts.posts, files: media.files, mentions: mentions.mentions, problems };
  } finally {
    index?.close();
    await lock.release();
  }
}

/** Returns the result of a check as text, or as the single line of JSON that `--json` promises. */
export function checkText({ problems, ...found }: FolderCheck, json: boolean): string {
  if (json) return `${JSON.stringify({ event: 'checked', ...found, problems })}\n`;
  const { posts, files, mentions } = found;
  const counted = `${counts(posts, 'post')}, ${counts(files, 'file')}, ${counts(mentions, 'mention')}`;
  if (problems.length === 0) return `${counted}: everything is in order.\n`;
  return `${counted}, ${counts(problems.length, 'problem')}:\n${problems.map((one) => `- ${one}\n`).join('')}`;
}

function counts(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
