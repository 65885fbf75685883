import type { Problem } from '../contract/status.ts';
import { type ClockWatch, clockWords } from '../platform/fetch-watch.ts';
import type { FilesFound } from '../posts/file-differences.ts';
import type { Unsaved } from '../sign-in/unsaved.ts';
import type { DiskWatch, UnreadableFiles } from '../storage/storage-watch.ts';
import type { OwnerNews } from './news.ts';

interface ProblemSources {
  readonly clockWatch: Pick<ClockWatch, 'offset'>;
  /** Returns why the computer's clock is not trusted; null if the clock is trusted. */
  readonly clockJump: () => string | null;
  readonly disk: Pick<DiskWatch, 'trouble'>;
  readonly unsaved: Pick<Unsaved, 'problem'>;
  /** Returns how the files of posts differ from the posts. */
  readonly files: () => FilesFound;
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
  const known = [...found];
  let sources: ProblemSources | undefined;

  return {
    /** Adds a problem that stays until the next start. Returns false if there is one with this code. */
    add(problem: Problem): boolean {
      if (known.some(({ code }) => code === problem.code)) return false;
      known.push(problem);
      return true;
    },
    /** Connects the parts that report temporary problems. Call it once, when all parts are open. */
    connect: (all: ProblemSources) => void (sources = all),
    list: (): Problem[] => [...known, ...news.list(), ...(sources ? passingProblems(sources) : [])],
  };
}

function passingProblems(sources: ProblemSources): Problem[] {
  const { clockWatch, clockJump, disk, unreadable, keeping } = sources;
  const [folder, mailbox, unsaved] = [sources.folder(), sources.mailbox(), sources.unsaved.problem()];
  const offset = clockWatch.offset();
  const clock = clockJump() ?? (offset === 0 ? null : clockWords(offset));
  const { trouble } = disk;
  const problems: Problem[] = [
    ...keeping(),
    ...unreadable.list().map(({ code, words }) => ({ code, message: words })),
  ];
  const edited = editedWords(sources.files());
  if (edited !== undefined) problems.push({ code: 'edited_files', message: edited });
  const { conflicts } = sources.files();
  if (conflicts.length > 0) problems.push({ code: 'conflicted_copies', message: conflictWords(conflicts) });
  if (folder) problems.push(folder);
  if (mailbox) problems.push(mailbox);
  if (trouble) problems.push({ code: trouble.code, message: trouble.words });
  if (unsaved) problems.push(unsaved);
  if (clock !== null) problems.push({ code: 'clock', message: clock });
  return problems;
}

const mostNamed = 3;

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** Returns what to tell about files of posts that somebody edited or removed; undefined if there are none. */
function editedWords({ changed, added, ended, missing, unreadable }: FilesFound): string | undefined {
  const edited = changed.length + added.length + ended.length;
  const parts = [
    edited > 0 && `${counted(edited, 'file')} of posts ${edited === 1 ? 'was' : 'were'} edited`,
    missing.length > 0 &&
      `${counted(missing.length, 'file')} of posts ${missing.length === 1 ? 'is' : 'are'} gone`,
    unreadable.length > 0 && `${counted(unreadable.length, 'file')} of posts can’t be read`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${parts.join(', ')}. The posts are as they were. Look at the files under Posts.`;
}

function conflictWords(paths: readonly string[]): string {
  const named = paths.slice(0, mostNamed).map((path) => `“posts/${path}”`);
  const more = paths.length > mostNamed ? ` and ${(paths.length - mostNamed).toLocaleString('en')} more` : '';
  return `A program that synchronizes your data folder kept other versions of posts: ${named.join(', ')}${more}. Porchlight doesn’t show these files. Compare each one with its post, and then delete it.`;
}
