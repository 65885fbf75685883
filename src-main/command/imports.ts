import { resolve } from 'node:path';
import { archiveNames, type ImportReport, type PostImportProgress } from '../contract/post-import.ts';
import { plainLine } from '../platform/plain-line.ts';
import { type Command, type Given, type Server, type Terminal, usageError, withProgress } from './command.ts';
import { importMentions } from './mentions.ts';
import { counted, shortLine } from './text.ts';

export const importCommand: Command = {
  takes: '[PATH]',
  help: 'Import an archive of posts; without PATH, webmentions from webmention.io',
  words: [0, 1],
  completes: 'file',
  options: {
    'dry-run': { help: 'Only show what importing the archive would do' },
    'token-stdin': { help: 'Read the webmention.io token from stdin and keep it' },
  },
  async run(server, given, terminal) {
    const [path] = given.words;
    if (path !== undefined) return importPosts(server, given, terminal, path);
    if (given.flag('dry-run'))
      throw usageError('--dry-run needs an archive: porchlight import PATH --dry-run');
    return importMentions(server, given, terminal);
  },
};

async function importPosts(server: Server, given: Given, terminal: Terminal, path: string) {
  if (given.flag('token-stdin')) throw usageError('--token-stdin is for webmentions. Leave the PATH out.');
  const report = await withProgress(
    terminal,
    () => postImportLine(server),
    () =>
      server.call('posts.import', {
        path: resolve(terminal.cwd, path),
        format: 'auto',
        dryRun: given.flag('dry-run'),
      }),
  );
  return { json: report, text: postImportText(report) };
}

async function postImportLine(server: Server): Promise<string | null> {
  const { progress } = await server.call('posts.imports', {});
  const isUnderWay = progress !== null && ['checking', 'importing'].includes(progress.state);
  return isUnderWay ? postProgressText(progress) : null;
}

/** Returns the progress of an import of posts as one line. */
export function postProgressText({ state, done, total }: PostImportProgress): string {
  const counts =
    total === 0 ? counted(done, 'post') : `${done.toLocaleString('en')} of ${counted(total, 'post')}`;
  return `${state === 'checking' ? 'Reading' : 'Importing'} ${counts}`;
}

/** How many losses the command lists. The window lists more. */
const mostListed = 20;

/** Returns the result of an import of posts as text. */
export function postImportText(report: ImportReport): string {
  const { format, state, found, imported, kinds, files, mentions, pages } = report;
  const isCheck = state === 'checked';
  const posts = isCheck ? kinds.reduce((sum, { count }) => sum + count, 0) : imported;
  const parts = [
    `${counted(posts, 'post')} of ${found.toLocaleString('en')}`,
    counted(files, 'file'),
    ...(mentions > 0 ? [counted(mentions, 'mention')] : []),
    ...(pages > 0 ? [counted(pages, 'page')] : []),
  ];
  const verb = isCheck ? 'Would import' : 'Imported';
  const skipped = report.reasons.map(
    ({ why, count }) => `Skipped (${count.toLocaleString('en')}): ${plainLine(why)}`,
  );
  const losses = report.losses
    .slice(0, mostListed)
    .map(({ what, lost }) => `Loses something: ${shortLine(what, 60)}: ${shortLine(lost.join('; '), 200)}`);
  const rest = report.lossCount - losses.length;
  const lines = [
    `${verb} ${parts.join(', ')} (${archiveNames[format]}).`,
    ...(state === 'cancelled' ? ['The import was cancelled. Run the command again to continue.'] : []),
    ...skipped,
    ...losses,
    ...(rest > 0
      ? [`Loses something: ${counted(rest, 'more post', 'more posts')}. The window lists them.`]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}
