import {
  factProperties,
  type KindRule,
  kindRules,
  mediaProperties,
  responseProperties,
  rsvpAnswerIn,
} from '../contract/post-kinds.ts';
import type { Post, PostKind, Properties } from '../contract/posts.ts';
import { postText, readForWords } from './content-text.ts';
import { oneLine, propertyText, propertyValues } from './values.ts';

/**
 * Returns the kind of a post based on its properties (Post Type Discovery 3.1), with the additional kinds audio,
 * bookmark and checkin. A reply with a photo is a reply. A post whose name only repeats the beginning of its content
 * isn't an article. `words`: the post's text, if the caller already has it.
 */
export function postKindOf(
  { type, properties }: Pick<Post, 'type' | 'properties'>,
  words?: string,
): PostKind {
  if (type.includes('h-event')) return 'event';
  const found = kindRules.find(({ property, value }) => some(properties[property], tests[value]));
  if (found) return found.kind;
  const text = words ?? postText(properties);
  return text.trim() !== '' && hasTitle(properties, text) ? 'article' : 'note';
}

/** The values that the rules of kinds require. */
const tests: Readonly<Record<KindRule['value'], (value: unknown) => boolean>> = {
  address: (value) => isAddress(value),
  answer: (value) => rsvpAnswerIn(value) !== undefined,
  anything: (value) =>
    typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && value !== null,
};

/** Returns whether a post has a title: a name that isn't just the beginning of the text (Post Type Discovery 3.1). */
export function hasTitle(properties: Properties, words: string): boolean {
  return isTitle(propertyText(properties, 'name'), words);
}

/** Returns whether a name is a title: not empty, and not just the beginning of the text. */
export function isTitle(name = '', text: string): boolean {
  const title = oneLine(name.slice(0, readForWords));
  return title !== '' && !oneLine(text.slice(0, readForWords)).startsWith(title);
}

const some = (values: readonly unknown[] | undefined, test: (value: unknown) => boolean) =>
  values?.some(test) ?? false;

/**
 * Returns whether a property's value contains a web URL, either as a string, as the `value` of an object with an alt
 * text, or as the `url` of a nested citation.
 */
function isAddress(value: unknown): boolean {
  if (typeof value === 'string') return isWebUrl(value);
  if (typeof value !== 'object' || value === null) return false;
  if ('value' in value && typeof value.value === 'string' && isWebUrl(value.value)) return true;
  if (!('properties' in value) || typeof value.properties !== 'object' || value.properties === null)
    return false;
  const { properties } = value;
  return 'url' in properties && Array.isArray(properties.url) && some(properties.url, isAddress);
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol);
}

/** The properties that give a page something to show, each in a way of its own. */
const shown = [
  'content',
  'name',
  'summary',
  ...mediaProperties,
  ...factProperties,
  ...responseProperties.map(({ name }) => name),
];

/** The other properties that pages know: they show them elsewhere, or they say how to show the post. */
const about = [
  'published',
  'updated',
  'category',
  'syndication',
  'url',
  'uid',
  'author',
  'read-status',
  'post-status',
  'visibility',
  'location-visibility',
];

const known = new Set([...shown, ...about]);

/** Returns the names of a post's properties of which pages know nothing but the name. */
export const otherProperties = (properties: Properties): string[] =>
  Object.keys(properties).filter((name) => !known.has(name));

/** Returns whether a post contains anything that a page could show. */
export const showsSomething = (properties: Properties): boolean =>
  [...shown, ...otherProperties(properties)].some((name) => propertyValues(properties, name).length > 0);
