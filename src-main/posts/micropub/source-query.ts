import { isPostKind } from '../../contract/post-kinds.ts';
import type { Post } from '../../contract/posts.ts';
import { optionalField, type Fields } from '../../http/form.ts';
import { windowOf } from '../../http/list-window.ts';
import { bagOfAdopted } from './adopted-actions.ts';
import { findAdopted, findPost, postNotFound } from '../post-address.ts';
import { postUrl } from '../address.ts';
import type { AdoptedPosts } from '../adopted-post.ts';
import { postStatuses, visibilities } from '../post-content.ts';
import { propertiesInMarkdown } from './markdown-apps.ts';
import type { LimitedReader, PostFilter, PostStore } from '../post-store.ts';
import { invalid } from './safe-json.ts';
import { maySeePost } from './scope-check.ts';

const usualLimit = 20;
const mostItems = 100;

export interface SourceDeps {
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
export async function sourceOf(deps: SourceDeps, url: string, query: Fields): Promise<object> {
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
export async function listSource(deps: SourceDeps, query: Fields): Promise<object> {
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
    throw invalid(`${name} must be one of: ${known.join(', ')}.`);
  return found;
}
