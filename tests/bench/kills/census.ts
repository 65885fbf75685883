import { readdirSync } from 'node:fs';
import type { Params, Result } from '../../../src-main/contract/contract.ts';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import { deedsIn, timesOf } from './activity.ts';
import { removed, type State } from './ledger.ts';
import type { World } from './scene.ts';
import { isCopied, sourcesByPage } from './sending.ts';

/** A post of the soak. The first word of its text is its name, the second its version. */
export interface KnownPost {
  url: string;
  text: string;
  status: string;
  /** The month of its date, such as `2026-03`. */
  month: string;
  isDeleted: boolean;
}

export interface KnownMention {
  id: string;
  status: string;
  text: string;
}

/** Everything that the server's lists show. */
export interface Census {
  readonly posts: Map<string, KnownPost>;
  /** The text of the owner's unsaved edits, by the name of the post. */
  readonly edits: ReadonlyMap<string, string>;
  /** By name. */
  readonly files: Map<string, { url: string; bytes: number }>;
  /** By source. */
  readonly mentions: Map<string, KnownMention>;
  /** The ids of apps, by name. */
  readonly apps: Map<string, string>;
  readonly categories: readonly string[];
  readonly profileName: string;
  readonly blocked: readonly string[];
  readonly backups: readonly string[];
  /** The URLs of the copies of posts that their pages link to, by the name of the post. */
  readonly copies: ReadonlyMap<string, string>;
  /** The source of the last webmention for each page that a post linked to, such as `p12-4/v3`. */
  readonly sources: ReadonlyMap<string, string>;
  /** How many entries the activity has of an action, by the ledger's key. */
  readonly deeds: ReadonlyMap<string, number>;
  /** The lists as the server returned them. */
  readonly listed: {
    readonly posts: readonly PostItem[];
    readonly files: readonly MediaItem[];
    readonly mentions: readonly MentionRecord[];
  };
}

export const stateOfPost = ({ text, status, month, isDeleted }: KnownPost): State =>
  isDeleted ? removed : `${status} ${month} ${text}`;

/** Returns whether the owner edits the post with this name without saving: asking about all posts takes long. */
export const hasEdits = (name: string): boolean => /[0369]$/.test(name);

export const stateOfMention = ({ status, text }: Pick<KnownMention, 'status' | 'text'>): State =>
  status === 'deleted' || status === 'removed' ? removed : `${status} ${text}`;

/** The apps that belong to the soak itself. No lane revokes them. */
export const ownApp = 'The soak';

/** Asks the server for everything that it lists, and the sites around it for what they were sent. */
export async function takeCensus(
  house: HeadlessProcess,
  { backups, receivers }: Pick<World, 'backups' | 'receivers'>,
): Promise<Census> {
  const [live, deleted] = [
    await allOf(house, 'posts.list', {}),
    await allOf(house, 'posts.list', { status: 'deleted' }),
  ];
  const posts = [...live, ...deleted];
  const files = await allOf(house, 'media.list', {});
  const mentions = await allOf(house, 'webmentions.list', {});
  const apps = await house.call('apps.list', {});
  const settings = await house.call('settings.get', {});
  const edits = new Map<string, string>();
  for (const { summary, url } of posts) {
    const name = summary.split(' ')[0] ?? '';
    if (!hasEdits(name)) continue;
    const kept = (await house.call('posts.edits', { url })).edits;
    if (kept) edits.set(name, kept.post.text);
  }
  const copies = new Map<string, string>();
  for (const { summary, url } of posts) {
    const name = summary.split(' ')[0] ?? '';
    if (!isCopied(name)) continue;
    const { properties } = (await house.call('posts.get', { url })).post;
    if (properties['syndication']) copies.set(name, properties['syndication'].join(' '));
  }
  return {
    edits,
    copies,
    sources: sourcesByPage(receivers),
    deeds: deedsIn(await allOf(house, 'activity.list', {})),
    posts: new Map(
      posts.map(({ url, summary, status, published, deletedAt }) => [
        summary.split(' ')[0] ?? '',
        {
          url,
          text: summary.split(' ').slice(0, 2).join(' '),
          status,
          month: published.slice(0, 7),
          isDeleted: deletedAt !== null,
        },
      ]),
    ),
    files: new Map(files.map(({ name, url, bytes }) => [name, { url, bytes }])),
    mentions: new Map(
      mentions.map(({ source, id, status, content }) => [source, { id, status, text: content?.value ?? '' }]),
    ),
    apps: new Map(apps.map(({ id, clientName }) => [clientName, id])),
    categories: settings.micropub.categories,
    profileName: settings.profile.name,
    blocked: await house.call('webmentions.blockedDomains', {}),
    backups: readdirSync(backups).filter((name) => name.endsWith('.zip')),
    listed: { posts, files, mentions },
  };
}

/** Returns the state of everything in a census, by the ledger's keys. */
export function statesIn(census: Census): Map<string, State> {
  return new Map<string, State>([
    ...[...census.posts].map(([name, post]) => [`post ${name}`, stateOfPost(post)] as const),
    ...[...census.edits].map(([name, text]) => [`edits ${name}`, text] as const),
    ...[...census.files].map(([name, { bytes }]) => [`file ${name}`, `${bytes} bytes`] as const),
    ...[...census.mentions].map(([source, one]) => [`mention ${source}`, stateOfMention(one)] as const),
    ...[...census.apps.keys()]
      .filter((name) => name !== ownApp)
      .map((name) => [`app ${name}`, 'signed in'] as const),
    ['setting categories', census.categories.join()],
    ['setting name', census.profileName],
    ...census.blocked.map((domain) => [`block ${domain}`, 'blocked'] as const),
    ...census.backups.map((name) => [`backup ${name}`, 'there'] as const),
    ...[...census.copies].map(([name, urls]) => [`copy ${name}`, urls] as const),
    ...[...census.sources.keys()].map((page) => [`send ${page}`, stateOfSend(census, page)] as const),
    ...[...census.deeds].map(([key, count]) => [key, timesOf(count)] as const),
  ]);
}

/** No page may be notified of a post that did not survive, even if nobody was promised that post. */
const stateOfSend = ({ posts }: Census, page: string): State =>
  posts.has(page.split('/')[0] ?? '') ? 'sent' : 'sent of a post that is not there';

type ListName = 'posts.list' | 'media.list' | 'webmentions.list' | 'activity.list';
type ItemOf<M extends ListName> = Result<M>['items'][number];

/** Reads a list page by page. */
async function allOf<M extends ListName>(house: HeadlessProcess, method: M, params: Params<M>) {
  const items: ItemOf<M>[] = [];
  let cursor: string | undefined;
  do {
    const page = await house.call(method, { ...params, limit: 500, ...(cursor !== undefined && { cursor }) });
    items.push(...(page.items as ItemOf<M>[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
