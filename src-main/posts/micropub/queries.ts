import {
  factProperties,
  isPostKind,
  mediaProperties,
  postKinds,
  responseProperties,
} from '../../contract/post-kinds.ts';
import type { Post } from '../../contract/posts.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Bearer } from '../../http/bearer.ts';
import { type Fields, optionalField, windowOf } from '../../http/form.ts';
import { findAdopted, findPost, postNotFound, postUrl } from '../address.ts';
import { postStatuses, visibilities } from '../post-content.ts';
import type { AdoptedPosts, LimitedReader, PostFilter, PostStore } from '../post-store.ts';
import { bagOfAdopted } from './actions.ts';
import { type MarkdownApps, propertiesInMarkdown } from './markdown-apps.ts';
import { invalidRequest } from '../../http/errors.ts';
import { checkMayQuery, maySeePost, postReader, writesPosts } from './scope-check.ts';

export interface QueryDeps {
  readonly base: () => string;
  readonly posts: PostStore;
  /** The posts in the owner's site folder that Porchlight didn't publish, if there is such a folder. */
  readonly adopted?: AdoptedPosts | undefined;
  readonly settings: () => Settings['micropub'];
  readonly markdownApps: MarkdownApps;
}

/** The settings that apps get if they cannot write posts. */
const noSettings = { categories: [], channels: [], syndicateTo: [] };

/** The keys in the responses to queries, where they differ from the query's name. */
const keyOf: Readonly<Record<string, string>> = { category: 'categories', channel: 'channels' };

/**
 * Responds to a query (Micropub 3.7) at the time `now` (ms). Treats a request without `q` as q=config (D-13).
 * @throws insufficient_scope, invalid_request
 */
export async function answerQuery(
  deps: QueryDeps,
  query: Fields,
  bearer: Pick<Bearer, 'scopes' | 'app'>,
  now: number,
): Promise<object> {
  checkMayQuery(bearer.scopes);
  const base = deps.base();
  const q = optionalField(query, 'q') ?? 'config';
  const reader = postReader(bearer, now);
  if (q === 'source') {
    const inMarkdown = deps.markdownApps.has(bearer.app);
    const source = { base, posts: deps.posts, adopted: deps.adopted, reader, inMarkdown };
    const url = optionalField(query, 'url');
    return url === undefined ? listSource(source, query) : sourceOf(source, url, query);
  }
  const writes = writesPosts(bearer.scopes);
  const configuration: Readonly<Record<string, string | readonly unknown[]>> = configurationOf(
    base,
    writes ? deps.settings() : noSettings,
    writes ? await deps.posts.categories(reader === 'all' ? undefined : reader) : [],
  );
  if (q === 'config') return configuration;
  const key = Object.hasOwn(keyOf, q) ? (keyOf[q] ?? q) : q;
  const answer = Object.hasOwn(configuration, key) ? configuration[key] : undefined;
  if (answer === undefined) throw invalidRequest('This server does not support this query.');
  return { [key]: typeof answer === 'string' ? answer : narrowed(answer, query) };
}

const usualLimit = 20;
const mostItems = 100;

interface SourceDeps {
  readonly base: string;
  readonly posts: PostStore;
  readonly adopted: AdoptedPosts | undefined;
  /** The requesting app, or `all` if it may see every post. */
  readonly reader: LimitedReader | 'all';
  /** Whether the requesting app reads and sends Markdown (see MarkdownApps). */
  readonly inMarkdown: boolean;
}

/**
 * Responds to q=source with `url`: returns the properties of one post, or only the requested ones (Micropub 3.7.2).
 * @throws invalid_request
 */
async function sourceOf(deps: SourceDeps, url: string, query: Fields): Promise<object> {
  const { base, posts } = deps;
  const adopted = await findAdopted(deps, url);
  if (adopted) {
    if (!maySeePost(adopted, deps.reader)) throw postNotFound();
    return sourceAnswer(adopted.type, Object.fromEntries(bagOfAdopted(adopted)), adopted.url, query);
  }
  const post = await findPost(posts, base, url);
  if (post.deletedAt !== null || !maySeePost(post, deps.reader)) throw postNotFound();
  return sourceAnswer(post.type, shownTo(deps, post), postUrl(base, post), query);
}

function sourceAnswer(
  type: readonly string[],
  properties: Readonly<Record<string, unknown>>,
  url: string,
  query: Fields,
): object {
  const names = propertyNames(query);
  return names ? { properties: only({ ...properties, url: [url] }, names) } : { type, properties };
}

/**
 * Responds to q=source without `url`: returns posts, newest first, each with its url (MX-5, MX-8, MX-10, MX-11).
 * Leaves out adopted posts (see AdoptedPost).
 * @throws invalid_request
 */
async function listSource(deps: SourceDeps, query: Fields): Promise<object> {
  const { base, posts, reader } = deps;
  const names = propertyNames(query);
  const { limit = usualLimit, offset, filter: text } = windowOf(query);
  const filter = postFilter(query, text);
  if (filter === null) return { items: [], paging: {} };
  const page = await posts.list({
    limit: Math.min(limit, mostItems),
    filter: reader === 'all' ? filter : { ...filter, readableBy: reader },
    offset,
    after: optionalField(query, 'after'),
    before: optionalField(query, 'before'),
  });
  return {
    items: page.items.map((post) =>
      itemOf({ type: post.type, properties: shownTo(deps, post) }, postUrl(base, post), names),
    ),
    paging: { before: page.before, after: page.after },
  };
}

/**
 * Returns the properties of a post that `reader` may see. Like the site's pages, omits a private location. The app that
 * created the post, and apps that may see every post, get all properties.
 */
function shownTo({ reader, inMarkdown }: SourceDeps, post: Post): Post['properties'] {
  const properties = inMarkdown ? propertiesInMarkdown(post) : post.properties;
  if (reader === 'all' || post.createdBy === reader.app) return properties;
  const [visibility = 'public'] = properties['location-visibility'] ?? [];
  if (visibility === 'public') return properties;
  const open = Object.entries(properties).filter(([name]) => name !== 'location' && name !== 'checkin');
  return Object.fromEntries(open);
}

function itemOf(
  { type, properties }: Pick<Post, 'type' | 'properties'>,
  url: string,
  names: string[] | undefined,
): object {
  const full = { ...properties, url: [url] };
  return { type, properties: names ? only(full, [...names, 'url']) : full };
}

function only(properties: Record<string, unknown>, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}

function propertyNames(query: Fields): string[] | undefined {
  const names = [query['properties'] ?? [], query['properties[]'] ?? []].flat().filter((name) => name !== '');
  return names.length > 0 ? names : undefined;
}

/** Returns the filter that a query describes; null if it requests an unknown kind of post, so that no post matches. */
function postFilter(query: Fields, text: string | undefined): PostFilter | null {
  const kind = optionalField(query, 'post-type') ?? optionalField(query, 'post-type[]');
  if (kind !== undefined && !isPostKind(kind)) return null;
  return {
    kind,
    status: choice(query, 'post-status', postStatuses),
    visibility: choice(query, 'visibility', visibilities),
    text,
  };
}

function choice<T extends string>(query: Fields, name: string, known: readonly T[]): T | undefined {
  const value = optionalField(query, name);
  const found = known.find((one) => one === value);
  if (value !== undefined && found === undefined)
    throw invalidRequest(`${name} must be one of: ${known.join(', ')}.`);
  return found;
}

const queries = ['config', 'source', 'syndicate-to', 'post-types', 'category', 'channel', 'media-endpoint'];
/**
 * The properties that the site's pages know. Other properties are also stored and returned by q=source (MP-24), and pages
 * show them as `name: value`.
 */
const properties = [
  'name',
  'summary',
  'content',
  'category',
  ...mediaProperties,
  'published',
  ...responseProperties.map(({ name }) => name),
  'read-status',
  ...factProperties,
  'syndication',
  'post-status',
  'visibility',
  'location-visibility',
];
const commands = ['slug', 'syndicate-to', 'channel', 'destination', 'photo-alt'];

/**
 * Returns the response to q=config (Micropub 3.7.1, MP-75, MX-4, MX-15 to MX-20). Apps can also query each key of the
 * response (MX-33). `categories`: those in use that the requesting app may see.
 */
function configurationOf(
  base: string,
  settings: Pick<Settings['micropub'], 'categories' | 'channels' | 'syndicateTo'>,
  categories: readonly string[],
) {
  return {
    'media-endpoint': `${base}/media`,
    'syndicate-to': settings.syndicateTo,
    'post-types': Object.entries(postKinds).map(([type, kind]) => ({
      type,
      name: kind.name,
      ...(kind.type && { h: kind.type.slice('h-'.length) }),
    })),
    channels: settings.channels,
    categories: [...new Set([...settings.categories, ...categories])],
    visibility: visibilities,
    'post-status': postStatuses,
    destination: [{ uid: `${base}/`, name: new URL(base).host }],
    q: queries,
    properties,
    mp: commands,
  };
}

/**
 * Applies a query's filter, offset and limit to a list.
 * @throws invalid_request
 */
function narrowed<T>(items: readonly T[], query: Fields): T[] {
  const { limit = Infinity, offset = 0, filter } = windowOf(query);
  const searched = filter?.toLowerCase();
  const found = items.filter((item) => searched === undefined || wordsOf(item).includes(searched));
  return found.slice(offset, offset + limit);
}

/** Returns the text that a filter searches: the item itself, or all strings in an object. */
function wordsOf(item: unknown): string {
  const texts = typeof item === 'object' && item !== null ? Object.values(item) : [item];
  return texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase();
}

/**
 * Returns until when (ms) the responses to an app stay the same if nothing changes: one that can't see scheduled posts
 * sees them once they are published. Returns undefined if that isn't limited.
 */
export const sameUntil = async (
  { posts }: Pick<QueryDeps, 'posts'>,
  bearer: Pick<Bearer, 'scopes' | 'app'>,
  now: number,
): Promise<number | undefined> =>
  postReader(bearer, now) === 'all' ? undefined : posts.nextPublication(now);
