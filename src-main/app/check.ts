import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import type { Proof } from '../data/backup/backup.ts';
import { checkMedia } from '../media/check-media.ts';
import { MediaMonths } from '../media/media-months.ts';
import { mentionTable } from '../mentions/mention-table.ts';
import type { Clock } from '../platform/clock.ts';
import { checkPosts } from '../posts/check-posts.ts';
import { documentsIn } from '../storage/document.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { goOn } from '../storage/pacing.ts';
import { countRows, recordsProblems } from '../storage/records/closed-records.ts';
import { buildRecords } from '../storage/records/record-lines.ts';
import { openRecords } from '../storage/records/records.ts';
import { createVersions } from '../storage/caches.ts';
import { recordTables } from './tables.ts';
import { openSettings } from './settings.ts';
import { unreadNames, unreadWords } from './unread-files.ts';

type FolderCheck = Awaited<ReturnType<typeof checkFolder>>;

/** How long to wait before what was found in a folder in use is looked at again, in ms. */
const againMs = 1000;

/**
 * Checks a data folder without changing it: reads every post and every row of the database, and checks every file. Returns the number of posts, files and
 * mentions, and a message for the owner about each problem. While Porchlight uses the folder, only what is found twice
 * counts, because a file that is just being written looks unfinished. `between`: called between the steps; if it throws,
 * the check ends with that error.
 */
export async function checkFolder(dataDir: string, between: () => void = () => undefined) {
  if (!existsSync(dataDir)) {
    return { posts: 0, files: 0, mentions: 0, problems: [`The folder ${dataDir} doesn’t exist.`] };
  }
  const lock = await lockFolder(dataDir).catch((error: unknown) => {
    if (!(error instanceof PorchlightError) || error.code !== 'folder_in_use') throw error;
    return undefined;
  });
  try {
    const found = await checkOnce(dataDir, between);
    if (lock !== undefined || found.problems.length === 0) return found;
    await pause(againMs);
    const again = new Set((await checkOnce(dataDir, between)).problems);
    return { ...found, problems: found.problems.filter((problem) => again.has(problem)) };
  } finally {
    await lock?.release();
  }
}

async function checkOnce(dataDir: string, between: () => void) {
  const posts = await checkPosts(dataDir);
  between();
  const media = await checkMedia(dataDir);
  between();
  const records = await recordsProblems(dataDir, recordTables);
  // Rows of a damaged database can't be counted.
  const mentions = records.length === 0 ? await countRows(dataDir, mentionTable) : 0;
  const unread = await unreadNames(dataDir);
  const problems = [...posts.problems, ...media.problems, ...records];
  if (unread.length > 0) problems.push(await unreadWords(dataDir, unread));
  return { posts: posts.posts, files: media.files, mentions, problems };
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

/** How many problems of a backup to name. A damaged backup may have one in each file. */
const mostNamed = 200;
const longestProblem = 1000;
/** What is found is in the result. */
const noLog = { warn: () => undefined };

/**
 * Checks a data folder. Opens all its data as the server does at startup, which rebuilds the indexes, and then runs the
 * checks in check.ts. Tests `signal` between the steps, because quitting waits for this function.
 * @throws PorchlightError if a document is unusable or has a newer format, with the same errors as at startup;
 * `cancelled` if `signal` aborts
 */
export async function proveFolder(dir: string, now: Clock, signal: AbortSignal): Promise<Proof> {
  const left = await buildRecords(dir, recordTables, signal);
  // Because there is no onRecovered callback, opening a damaged file throws instead of recovering the file.
  const documents = documentsIn(dir);
  await openSettings({ documents, allowLoopbackMe: false });

  const throwIfAborted = () => goOn({ signal });
  const inDir = (name: string) => path.join(dir, name);
  const records = await openRecords({ dir, tables: recordTables, log: noLog });
  try {
    const media = new MediaMonths({ dir: inDir('media'), records, versions: createVersions(), now });
    await media.rows();
    await media.close();
  } finally {
    await records.close();
  }
  throwIfAborted();

  const { problems, ...counts } = await checkFolder(dir, throwIfAborted);
  const all = [...left, ...problems];
  const rest = all.length - mostNamed;
  const named = all.slice(0, mostNamed).map((problem) => problem.slice(0, longestProblem));
  return { counts, problems: rest > 0 ? [...named, `There are ${rest} more problems.`] : named };
}
