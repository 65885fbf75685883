import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isThere, monthsIn } from '../storage/file-facts.ts';
import { isRecord, jsonIn, own } from '../storage/json-value.ts';
import type { NewsItem } from './news.ts';

/** Something that an earlier version kept, with its name for one and for several. */
interface Counted {
  readonly one: string;
  readonly many: string;
  /** Returns how many there are in a document of an earlier version. */
  readonly count: (document: unknown) => number;
}

const lengthOf = (list: string) => (document: unknown) => listIn(document, list).length;

const mentions: Counted = { one: 'mention', many: 'mentions', count: lengthOf('mentions') };
const apps: Counted = {
  one: 'app',
  many: 'apps',
  count: (document) =>
    listIn(document, 'grants').filter((grant) => isRecord(grant) && own(grant, 'revokedAt') === null).length,
};
const sites: Counted = { one: 'blocked site', many: 'blocked sites', count: lengthOf('domains') };
const subscriptions: Counted = {
  one: 'subscription to your feeds',
  many: 'subscriptions to your feeds',
  count: lengthOf('subscriptions'),
};

/**
 * What versions before the database, and before the queue in it, kept in a data folder, with what the owner may miss. No
 * release was made of them.
 */
const unread: Readonly<Record<string, Counted | undefined>> = {
  mentions,
  'grants.json': apps,
  'webmentions/blocked.json': sites,
  'websub/subscriptions.json': subscriptions,
  activity: undefined,
  'grants-ended.jsonl': undefined,
  lock: undefined,
  'post-imports': undefined,
  'mailbox/journal.jsonl': undefined,
  'mailbox/server.json': undefined,
  publishing: undefined,
  'site-folder.json': undefined,
  'webmentions/queue.jsonl': undefined,
  'webmentions/import.json': undefined,
  'webmentions/import-runs.json': undefined,
  'webmentions/outbox': undefined,
  'webmentions/outbox.json': undefined,
  cited: undefined,
  'media/copies': undefined,
  'webmentions/pictures/waiting.json': undefined,
};

/** The most files that are counted, and the size of a file that is read, in bytes. */
const mostFiles = 20_000;
const mostBytes = 10_000_000;

/** Returns the names of the files in a data folder that only earlier versions read. */
export async function unreadNames(dataDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of Object.keys(unread)) if (await isThere(path.join(dataDir, name))) found.push(name);
  for (const month of await monthsIn(path.join(dataDir, 'media')))
    if (await isThere(path.join(dataDir, 'media', month, 'index.jsonl'))) {
      found.push('media/*/*/index.jsonl');
      break;
    }
  return found;
}

/** Returns the id of the news of these files. It is the same at each start. */
export const unreadId = (names: readonly string[]): string =>
  `unread-${createHash('sha256').update(names.join('\n')).digest('base64url').slice(0, 22)}`;

/** Returns the news of these files. */
export async function unreadNews(dataDir: string, names: readonly string[]): Promise<NewsItem> {
  const message = await unreadWords(dataDir, names);
  return { id: unreadId(names), code: 'storage_recovered', message, holds: false };
}

/** Returns items as people list them: "a, b and c". */
const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** Says what isn't read of these files, and what that means: "3 mentions, 2 apps and 1 blocked site ..." */
export async function unreadWords(dataDir: string, names: readonly string[]): Promise<string> {
  const missing: string[] = [];
  const advice: string[] = [];
  for (const name of names) {
    const kind = unread[name];
    const count = kind === undefined ? 0 : await countIn(path.join(dataDir, name), kind);
    if (kind === undefined || count === 0) continue;
    missing.push(`${count.toLocaleString('en')} ${count === 1 ? kind.one : kind.many}`);
    if (kind === apps) advice.push('Sign in to your apps again.');
    if (kind === sites) advice.push('Block sites again that you still want to block.');
  }
  const what = missing.length === 0 ? 'Some files' : listed(missing);
  const verb = missing.length === 1 && missing[0]?.startsWith('1 ') === true ? 'isn’t' : 'aren’t';
  return [
    `${what} of an earlier version ${verb} read.`,
    ...advice,
    `Porchlight leaves these files as they are: ${names.join(', ')}.`,
  ].join(' ');
}

/** Counts in a document, or in all documents of a folder. A file that can't be read counts as empty. */
async function countIn(place: string, { count }: Counted): Promise<number> {
  const inside = await readdir(place, { recursive: true }).catch(() => undefined);
  const files = inside?.filter((name) => name.endsWith('.json')).map((name) => path.join(place, name)) ?? [
    place,
  ];
  let sum = 0;
  for (const file of files.slice(0, mostFiles)) {
    const isSmall = await stat(file).then(
      ({ size }) => size <= mostBytes,
      () => false,
    );
    if (isSmall) sum += count(jsonIn(await readFile(file, 'utf8').catch(() => '')));
  }
  return sum;
}

function listIn(document: unknown, name: string): unknown[] {
  const list = isRecord(document) ? own(document, name) : undefined;
  return Array.isArray(list) ? list : [];
}
