import type { Post, Properties } from '../contract/posts.ts';
import type { PostContent } from './post-store.ts';
import { invalid } from './safe-json.ts';

/**
 * What a request says about a post: properties and commands (`mp-` in front) together, in their order.
 * A Map, because names come from outside, and `toString` is as good a name as any.
 */
export type Bag = ReadonlyMap<string, readonly unknown[]>;

export const postStatuses: readonly Post['status'][] = ['published', 'draft'];
export const visibilities: readonly Post['visibility'][] = ['public', 'unlisted', 'private'];

const commandPrefix = 'mp-';
/** Commands that are carried out at once, so that nothing remains to be kept. */
const carriedOut = new Set(['slug', 'photo-alt']);

/** True for names that are commands to the server rather than properties of the post (Micropub 3.1). */
export function isCommand(name: string): boolean {
  return name.startsWith(commandPrefix);
}

/** Takes a bag apart: a post's content, and the slug that the client wishes for. @throws invalid_request (MX-2, MX-3) */
export function contentOf(type: string[], bag: Bag): { content: PostContent; slug?: string } {
  const properties: [string, unknown[]][] = [];
  const commands: [string, unknown[]][] = [];
  for (const [name, values] of bag) {
    if (name === 'access_token') continue; // never stored (MP-2)
    const command = isCommand(name) ? name.slice(commandPrefix.length) : undefined;
    if (command === undefined) properties.push([name, [...values]]);
    else if (!carriedOut.has(command)) commands.push([command, [...values]]);
  }
  const slug = wishedSlug(bag);
  return {
    content: {
      type,
      properties: Object.fromEntries(properties),
      commands: Object.fromEntries(commands),
      status: oneOf(postStatuses, 'post-status', bag) ?? 'published',
      visibility: oneOf(visibilities, 'visibility', bag) ?? 'public',
    },
    ...(slug !== undefined && { slug }),
  };
}

/** Puts a post's content together again, for changes that concern both parts of it. */
export function bagOf({ properties, commands }: Pick<PostContent, 'properties' | 'commands'>): Bag {
  const prefixed = Object.entries(commands).map(([name, values]) => [commandPrefix + name, values] as const);
  return new Map([...Object.entries(properties), ...prefixed]);
}

/** `published` is now where the client leaves it out (MP-30). */
export function withPublished(content: PostContent, now: number): PostContent {
  const { properties } = content;
  if (Object.hasOwn(properties, 'published')) return content;
  const published: Properties = { ...properties, published: [new Date(now).toISOString()] };
  return { ...content, properties: published };
}

/** The slug that mp-slug asks for (MX-1); undefined where it is absent or empty. @throws invalid_request */
export function wishedSlug(bag: Bag): string | undefined {
  const wish = bag.get('mp-slug')?.[0];
  if (wish === undefined || wish === '') return undefined;
  if (typeof wish !== 'string') throw invalid('mp-slug must be text.');
  return wish;
}

function oneOf<T extends string>(known: readonly T[], name: string, bag: Bag): T | undefined {
  const [value, ...more] = bag.get(name) ?? [];
  if (value === undefined) return undefined;
  const found = known.find((one) => one === value);
  if (found === undefined || more.length > 0) throw invalid(`${name} must be one of: ${known.join(', ')}.`);
  return found;
}
