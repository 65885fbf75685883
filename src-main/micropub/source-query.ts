import type { Post } from '../contract/posts.ts';
import { publishedAt } from '../contract/published.ts';
import { optionalField, type Fields } from '../http/form.ts';
import { windowOf } from '../http/list-window.ts';
import { isPostKind } from './configuration.ts';
import { findPost, notFound, urlOf } from './post-address.ts';
import { postStatuses, visibilities } from './post-content.ts';
import type { PostFilter, PostStore } from './post-store.ts';
import { invalid } from './safe-json.ts';

const usualLimit = 20;
const mostItems = 100;

export interface SourceDeps {
  readonly base: string;
  readonly posts: PostStore;
  /** False: only posts that everybody can see anyway. */
  readonly all: boolean;
  /** In ms. */
  readonly now: number;
}

/** q=source with url: one post, as it was posted; with properties, only those (Micropub 3.7.2). @throws invalid_request */
export async function sourceOf(
  { base, posts, all, now }: SourceDeps,
  url: string,
  query: Fields,
): Promise<object> {
  const post = await findPost(posts, base, url);
  if (post.deletedAt !== null || !(all || isForAll(post, now))) throw notFound();
  const { type } = post;
  const properties = all ? post.properties : propertiesForAll(post);
  const names = propertyNames(query);
  return names ? { properties: only({ ...properties, url: [url] }, names) } : { type, properties };
}

/** q=source without url: posts, newest first, each with its url (MX-5, MX-8, MX-10, MX-11). @throws invalid_request */
export async function listSource({ base, posts, all, now }: SourceDeps, query: Fields): Promise<object> {
  const names = propertyNames(query);
  const { limit = usualLimit, offset, filter: text } = windowOf(query);
  const filter = postFilter(query, text);
  const own: PostFilter = all ? {} : { status: 'published', visibility: 'public', publishedBy: now };
  if (filter === null || contradicts(filter, own)) return { items: [], paging: {} };
  const after = optionalField(query, 'after');
  const before = optionalField(query, 'before');
  const page = await posts.list({
    limit: Math.min(limit, mostItems),
    filter: { ...filter, ...own },
    ...(offset !== undefined && { offset }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  });
  return {
    items: page.items.map((post) => {
      const properties = all ? post.properties : propertiesForAll(post);
      return itemOf({ type: post.type, properties }, urlOf(base, post), names);
    }),
    paging: {
      ...(page.before !== undefined && { before: page.before }),
      ...(page.after !== undefined && { after: page.after }),
    },
  };
}

function isForAll(post: Post, now: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= now;
}

/** Without the place, where its owner keeps it to themselves: the site's pages leave it out too. */
function propertiesForAll({ properties }: Post): Post['properties'] {
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

/** Null: a kind of post that this server does not have, so that nothing can match. */
function postFilter(query: Fields, text: string | undefined): PostFilter | null {
  const kind = optionalField(query, 'post-type') ?? optionalField(query, 'post-type[]');
  if (kind !== undefined && !isPostKind(kind)) return null;
  const status = choice(query, 'post-status', postStatuses);
  const visibility = choice(query, 'visibility', visibilities);
  return {
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(visibility !== undefined && { visibility }),
    ...(text !== undefined && { text }),
  };
}

function contradicts(filter: PostFilter, own: PostFilter): boolean {
  return (['status', 'visibility'] as const).some(
    (name) => own[name] !== undefined && filter[name] !== undefined && filter[name] !== own[name],
  );
}

function choice<T extends string>(query: Fields, name: string, known: readonly T[]): T | undefined {
  const value = optionalField(query, name);
  const found = known.find((one) => one === value);
  if (value !== undefined && found === undefined)
    throw invalid(`${name} must be one of: ${known.join(', ')}.`);
  return found;
}
