import type { PostKind, Properties } from '../contract/posts.ts';
import { contentText } from './content-text.ts';

type Rule = readonly [kind: PostKind, applies: (properties: Properties) => boolean];

/**
 * The rules that determine a post's kind, in the order of Post Type Discovery. The additional kinds bookmark and
 * checkin come before photo, because such posts often include a photo.
 */
const rules: readonly Rule[] = [
  ['rsvp', ({ rsvp }) => some(rsvp, isAnswer)],
  ['repost', (properties) => some(properties['repost-of'], isAddress)],
  ['like', (properties) => some(properties['like-of'], isAddress)],
  ['reply', (properties) => some(properties['in-reply-to'], isAddress)],
  ['bookmark', (properties) => some(properties['bookmark-of'], isAddress)],
  ['checkin', ({ checkin }) => some(checkin, isSomething)],
  ['video', ({ video }) => some(video, isAddress)],
  ['photo', ({ photo }) => some(photo, isAddress)],
  ['audio', ({ audio }) => some(audio, isAddress)],
  ['article', isArticle],
];

/**
 * Returns the kind of a post based on its properties (Post Type Discovery 3.1), with the additional kinds audio,
 * bookmark and checkin. A reply with a photo is a reply; a name that only repeats the beginning of the content does not
 * make an article.
 */
export function kindOf(properties: Properties, type: readonly string[]): PostKind {
  if (type.includes('h-event')) return 'event';
  return rules.find(([, applies]) => applies(properties))?.[0] ?? 'note';
}

const some = (values: readonly unknown[] | undefined, test: (value: unknown) => boolean) =>
  values?.some(test) ?? false;

const isAnswer = (value: unknown) =>
  typeof value === 'string' && /^\s*(?:yes|no|maybe|interested)\s*$/i.test(value);

const isSomething = (value: unknown) =>
  typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && value !== null;

/**
 * Returns whether a property's value has a web URL: as plain text, as `value` next to an alt text, or as the `url` of a
 * nested citation.
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

function isArticle(properties: Properties): boolean {
  const content = oneLine(contentText(properties));
  const name = oneLine(properties.name?.find((value) => typeof value === 'string') ?? '');
  return content !== '' && name !== '' && !content.startsWith(name);
}

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');
