import type { Problem } from '../contract/status.ts';
import { clockWords, type ClockWatch } from '../platform/clock-watch.ts';
import type { DiskWatch } from '../storage/disk-watch.ts';
import type { EndingRegister } from '../storage/endings.ts';
import { damagedWords, type IndexDatabase } from '../storage/index/index-database.ts';
import type { OwnerNews } from './news.ts';
import type { UnreadableFiles } from '../storage/unreadable-files.ts';

export interface ProblemSources {
  readonly clockWatch: Pick<ClockWatch, 'offset'>;
  /** Returns why the computer's clock is not trusted; null if the clock is trusted. */
  readonly clockJump: () => string | null;
  readonly disk: Pick<DiskWatch, 'trouble'>;
  readonly endings: Pick<EndingRegister, 'problem'>;
  readonly index: Pick<IndexDatabase, 'isDamaged'>;
  /** Returns the paths, below the folder of posts, of files in which other programs kept versions of posts. */
  readonly conflicts: () => readonly string[];
  readonly unreadable: Pick<UnreadableFiles, 'list'>;
  /** Returns the problem with the folder of the owner's own site, if there is one. */
  readonly folder: () => Problem | undefined;
  /** Returns the problem with the mailbox, if there is one. */
  readonly mailbox: () => Problem | undefined;
  /** Returns problems with the weekly backup and with the task that is pending for the next start. */
  readonly keeping: () => readonly Problem[];
}

/**
 * Creates the list of problems that the owner should know about. Problems that stay until the next start come first, and
 * then those that stay until the owner dismisses them. `found`: the problems that were found before the service opened.
 */
export function createProblems(found: readonly Problem[], news: Pick<OwnerNews, 'list'>) {
  let sources: ProblemSources | undefined;

  return {
    /** Connects the parts that report temporary problems. Call it once, when all parts are open. */
    connect: (all: ProblemSources) => void (sources = all),
    list: (): Problem[] => [...found, ...news.list(), ...(sources ? passingProblems(sources) : [])],
  };
}

function passingProblems(sources: ProblemSources): Problem[] {
  const { clockWatch, clockJump, disk, endings, index, unreadable, keeping } = sources;
  const [folder, mailbox, unsaved] = [sources.folder(), sources.mailbox(), endings.problem()];
  const offset = clockWatch.offset();
  const clock = clockJump() ?? (offset === 0 ? null : clockWords(offset));
  const { trouble } = disk;
  const problems: Problem[] = [
    ...keeping(),
    ...unreadable.list().map(({ code, words }) => ({ code, message: words })),
  ];
  const conflicts = sources.conflicts();
  if (conflicts.length > 0) problems.push({ code: 'conflicted_copies', message: conflictWords(conflicts) });
  if (index.isDamaged) problems.push({ code: 'storage_damaged', message: damagedWords });
  if (folder) problems.push(folder);
  if (mailbox) problems.push(mailbox);
  if (trouble) problems.push({ code: trouble.code, message: trouble.words });
  if (unsaved) problems.push(unsaved);
  if (clock !== null) problems.push({ code: 'clock', message: clock });
  return problems;
}

const mostNamed = 3;

function conflictWords(paths: readonly string[]): string {
  const named = paths.slice(0, mostNamed).map((path) => `“posts/${path}”`);
  const more = paths.length > mostNamed ? ` and ${(paths.length - mostNamed).toLocaleString('en')} more` : '';
  return `A program that synchronizes your data folder kept other versions of posts: ${named.join(', ')}${more}. Porchlight doesn’t show these files. Compare each one with its post, and then delete it.`;
}
