import type { ImportCounts, ImportProgress } from '../contract/mention-import.ts';
import type { MentionRecord, MentionStatus } from '../contract/webmentions.ts';
import { type Command, type Given, type Server, type Terminal, usageError, withProgress } from './command.ts';
import { counted, localTime, shortLine, table } from './text.ts';

const statuses = ['approved', 'held', 'hidden', 'deleted', 'removed'] as const satisfies MentionStatus[];

export const mentions: Command = {
  help: 'List the newest webmentions, without those that you deleted',
  words: [0, 0],
  options: {
    status: { value: 'STATUS', completes: statuses, help: `Only these: ${statuses.join(', ')}` },
    limit: { value: 'N', help: 'How many, from 1 to 500 (default 20)' },
  },
  async run(server, given) {
    const [status] = given.values('status').slice(-1);
    const list = await server.call('webmentions.list', {
      limit: limitOf(given),
      ...(status === undefined ? { without: 'deleted' as const } : { status: statusOf(status) }),
    });
    return { json: list, text: mentionsText(list.items) };
  },
};

function limitOf(given: Given): number {
  const text = given.values('limit').at(-1) ?? '20';
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 500) throw usageError('--limit is a number from 1 to 500.');
  return limit;
}

function statusOf(text: string): MentionStatus {
  const found = statuses.find((status) => status === text);
  if (found === undefined) throw usageError(`--status is one of: ${statuses.join(', ')}.`);
  return found;
}

/** Returns mentions as a table. */
export function mentionsText(items: readonly MentionRecord[]): string {
  if (items.length === 0) return 'No mentions.\n';
  return table([
    ['RECEIVED', 'STATUS', 'TYPE', 'FROM', 'PAGE', 'TEXT'],
    ...items.map(({ received, status, type, author, source, target, content, name }) => [
      localTime(received),
      status,
      type,
      shortLine(author?.name || hostOf(source), 30),
      shortLine(pathOf(target), 40),
      shortLine(content?.value ?? name ?? '', 60),
    ]),
  ]);
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url);

/** Imports webmentions from webmention.io, and returns what the command prints. */
export async function importMentions(server: Server, given: Given, terminal: Terminal) {
  const token = given.flag('token-stdin') ? (await terminal.read()).trim() : undefined;
  if (token === '')
    throw usageError('stdin is empty. Send the token: porchlight import --token-stdin < FILE');
  const counts = await withProgress(
    terminal,
    () => importLine(server),
    () => server.call('webmentions.import', token === undefined ? {} : { aggregatorToken: token }),
  );
  return { json: counts, text: importText(counts) };
}

async function importLine(server: Server): Promise<string | null> {
  const { progress } = await server.call('webmentions.importState', {});
  return progress?.state === 'running' ? progressText(progress) : null;
}

/** Returns the progress of an import as one line. */
export function progressText({ done, total, words }: ImportProgress): string {
  const counts = total === null ? counted(done, 'mention') : `${done} of ${counted(total, 'mention')}`;
  return `${shortLine(words, 60)} ${counts}`.trim();
}

/** Returns the result of an import as text. */
export function importText({ imported, updated, removed, targets, total }: ImportCounts): string {
  const changes = `${imported} new, ${updated} updated, ${removed} removed`;
  return `Read ${counted(total, 'mention')} of ${counted(targets, 'page')}: ${changes}.\n`;
}
