import type { Problem } from '../contract/status.ts';
import { clockWords } from '../platform/fetch-watch.ts';
import type { FilesFound } from '../posts/file-differences.ts';
import type { Foundation } from './foundation.ts';
import type { Parts } from './parts.ts';

/** Returns the problems that may pass by themselves. */
export function passingProblems(foundation: Foundation, parts: Parts): Problem[] {
  const { trouble } = foundation.disk;
  const [folder, mailbox] = [parts.folder.problem(), parts.mailbox.problem()];
  const unsaved = foundation.unsaved.problem();
  const offset = foundation.clockWatch.offset();
  const clock = foundation.timing.problem() ?? (offset === 0 ? null : clockWords(offset));
  const files = parts.publishing.filesFound();
  const problems: Problem[] = [
    ...parts.data.problems(),
    ...foundation.unreadable.list().map(({ code, words }) => ({ code, message: words })),
  ];
  const edited = editedWords(files);
  if (edited !== undefined) problems.push({ code: 'edited_files', message: edited });
  if (files.conflicts.length > 0)
    problems.push({ code: 'conflicted_copies', message: conflictWords(files.conflicts) });
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
