import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Post } from '../contract/posts.ts';
import { dateAt, readDate } from './date.ts';
import { invalidRequest } from '../http/errors.ts';
import type { PostContent } from './post-store.ts';
import { mostInProperty } from './values.ts';
import { hasDate, publishedAt } from './visibility.ts';

/**
 * The properties and commands of a post, in order. Commands have names with the prefix `mp-`. A Map is safe for names
 * that clients choose, such as `toString`.
 */
export type Bag = ReadonlyMap<string, readonly unknown[]>;

export const postStatuses: readonly Post['status'][] = ['published', 'draft'];
export const visibilities: readonly Post['visibility'][] = ['public', 'unlisted', 'private'];

const commandPrefix = 'mp-';
/** The maximum number of values in a post: the items of its lists at any depth. See also mostInProperty. */
const mostInPost = 2000;
/** Commands that are not stored with the post, because they take effect at once. */
const carriedOut = new Set(['slug', 'photo-alt']);

/** Returns whether a name belongs to a command to the server, not to a property (Micropub 3.1). */
export function isCommand(name: string): boolean {
  return name.startsWith(commandPrefix);
}

/**
 * Returns why a post, or a change to a post, has too many values, as a sentence; undefined if it hasn't. `lists`: the
 * values of its properties and commands.
 */
export function tooManyValues(lists: Iterable<readonly [name: string, values: unknown]>): string | undefined {
  let inPost = 0;
  for (const [name, values] of lists) {
    const inProperty = countValues(values);
    inPost += inProperty;
    if (inProperty > mostInProperty)
      return `A property can have at most ${mostInProperty} values: ${name.slice(0, 100)}.`;
  }
  return inPost > mostInPost ? `A post can have at most ${mostInPost} values.` : undefined;
}

/**
 * Checks how many values there are (see tooManyValues).
 * @throws invalid_request
 */
export function checkValues(lists: Iterable<readonly [name: string, values: unknown]>): void {
  const words = tooManyValues(lists);
  if (words !== undefined) throw invalidRequest(words);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  return inner.reduce<number>((sum, one) => sum + countValues(one), Array.isArray(value) ? value.length : 0);
}

/**
 * Splits a Bag of properties and commands into a post's content and the slug that the client requests.
 * @throws invalid_request (MX-2, MX-3), also if there are too many values
 */
export function contentFromBag(type: string[], bag: Bag): { content: PostContent; slug: string | undefined } {
  checkValues(bag);
  const properties: [string, unknown[]][] = [];
  const commands: [string, unknown[]][] = [];
  for (const [name, values] of bag) {
    if (name === 'access_token') continue; // a token is never stored (MP-2)
    const command = isCommand(name) ? name.slice(commandPrefix.length) : undefined;
    if (command === undefined) properties.push([name, [...values]]);
    else if (!carriedOut.has(command)) commands.push([command, [...values]]);
  }
  return {
    content: {
      type,
      properties: Object.fromEntries(properties),
      commands: Object.fromEntries(commands),
      status: oneOf(postStatuses, 'post-status', bag) ?? 'published',
      visibility: oneOf(visibilities, 'visibility', bag) ?? 'public',
    },
    slug: wishedSlug(bag),
  };
}

/** Returns a post's properties and commands as a Bag, so that an update can change both. */
export function bagOf({ properties, commands }: Pick<PostContent, 'properties' | 'commands'>): Bag {
  const prefixed = Object.entries(commands).map(([name, values]) => [commandPrefix + name, values] as const);
  return new Map([...Object.entries(properties), ...prefixed]);
}

/**
 * Returns the content with a `published` date. If it has none, sets `now` (ms) in the time zone `zone`, and marks the date
 * as given by nobody (MP-30).
 */
export function withPublished(content: PostContent, now: number, zone: string): PostContent {
  const { properties } = content;
  if (hasDate(properties)) return content;
  const ownDate = dateAt(now, zone);
  return { ...content, properties: { ...properties, published: [ownDate] }, ownDate };
}

/**
 * Checks that an app's change doesn't take away the date of a scheduled post. That would publish the post at once.
 * `now`: in ms.
 * @throws invalid_request
 */
export function checkSchedule(
  before: Pick<Post, 'properties' | 'status' | 'createdAt'>,
  next: Pick<Post, 'properties' | 'status'>,
  now: number,
): void {
  const isScheduled = before.status === 'published' && publishedAt(before) > now;
  if (isScheduled && next.status === 'published' && !hasDate(next.properties))
    throw invalidRequest('The post is scheduled. To publish it now, replace its date.');
}

/**
 * Returns the slug that mp-slug requests (MX-1), or undefined if mp-slug is absent or empty.
 * @throws invalid_request
 */
export function wishedSlug(bag: Bag): string | undefined {
  const wish = bag.get('mp-slug')?.[0];
  if (wish === undefined || wish === '') return undefined;
  if (typeof wish !== 'string') throw invalidRequest('mp-slug must be text.');
  return wish;
}

/** Gives each photo the alt text at the same position in `mp-photo-alt` (MX-21). */
export function withAltTexts(bag: Bag): Bag {
  const texts = bag.get('mp-photo-alt');
  const photos = bag.get('photo');
  if (!texts || !photos) return bag;
  const described = photos.map((value, index) => {
    const alt = texts[index];
    return typeof value === 'string' && value !== '' && typeof alt === 'string' && alt !== ''
      ? { value, alt }
      : value;
  });
  return new Map([...bag, ['photo', described]]);
}

function oneOf<T extends string>(known: readonly T[], name: string, bag: Bag): T | undefined {
  const [value, ...more] = bag.get(name) ?? [];
  if (value === undefined) return undefined;
  const found = known.find((one) => one === value);
  if (found === undefined || more.length > 0)
    throw invalidRequest(`${name} must be one of: ${known.join(', ')}.`);
  return found;
}

/** Properties that hold one date and nothing else. */
const dates = ['published', 'updated'];
/** Properties of an event that may also hold other text, which pages show as it is. */
const times = ['start', 'end'];

/**
 * Returns a post's properties with the dates in the form that Porchlight stores (see readDate). `before`: the properties
 * before the change. Values that were there before stay as they are. `zone`: the owner's time zone.
 * @throws invalid_request if `published` or `updated` is not one date
 */
export function withReadDates(bag: Bag, before: Bag, zone: string): Bag {
  const result = new Map(bag);
  for (const name of dates) {
    const values = bag.get(name) ?? [];
    if (values.length === 0 || isDeepStrictEqual(values, before.get(name))) continue;
    if (values.length > 1) throw invalidRequest(`A post can have only one date in ${name}.`);
    result.set(
      name,
      values.map((value) => dateIn(value, zone) ?? refuse(name)),
    );
  }
  for (const name of times) {
    const [values, old] = [bag.get(name), before.get(name) ?? []];
    const read = (value: unknown) => (old.includes(value) ? value : (dateIn(value, zone) ?? value));
    if (values) result.set(name, values.map(read));
  }
  return result;
}

const dateIn = (value: unknown, zone: string) =>
  typeof value === 'string' ? readDate(value, zone) : undefined;

function refuse(name: string): never {
  throw invalidRequest(`The date in ${name} is not valid. Send a date such as 2027-06-01T09:00:00+02:00.`);
}

/**
 * Returns a string that identifies a post's current content. Editors use it to notice changes made elsewhere. Leaves out
 * the syndication links, because Porchlight adds them by itself and no editor shows them.
 */
export function versionOf(post: Omit<Post, 'path'>): string {
  const { type, properties, commands, status, visibility, markdown, deletedAt } = post;
  const written = Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'syndication'));
  const content = [type, written, commands, status, visibility, markdown ?? null, deletedAt];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
