import type { Properties } from '../../../src-main/contract/posts.ts';

/** A picture of a post, and the words that stand for it. */
export interface Photo {
  readonly url: string;
  readonly alt: string;
}

const contexts = [
  ['in-reply-to', 'In reply to'],
  ['like-of', 'Likes'],
  ['repost-of', 'Reposts'],
  ['bookmark-of', 'Bookmarks'],
] as const;

/** What a post answers, likes, repeats or keeps: in words, with its address. */
export function contextOf(properties: Properties): { words: string; url: string }[] {
  return contexts.flatMap(([property, words]) =>
    unique((properties[property] ?? []).map(addressIn)).map((url) => ({ words, url })),
  );
}

/** The pictures of a post: an address, or one with its alt text (microformats2, u-photo with alt). */
export function photosOf({ photo = [] }: Properties): Photo[] {
  const photos = photo.map((value) => ({ url: addressIn(value), alt: altIn(value) }));
  return photos.filter(
    ({ url }, index) => url !== '' && photos.findIndex((other) => other.url === url) === index,
  );
}

/** The values that are texts, each once. */
export function textsOf(values: readonly unknown[] = []): string[] {
  return unique(values.map((value) => (typeof value === 'string' ? value : '')));
}

const unique = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))];

/** Plain, as `value`, or as the `url` of a nested citation. */
function addressIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('value' in value && typeof value.value === 'string') return value.value;
  if (!('properties' in value) || typeof value.properties !== 'object' || value.properties === null)
    return '';
  const { properties } = value;
  if (!('url' in properties) || !Array.isArray(properties.url)) return '';
  return addressIn(properties.url.find((url) => typeof url === 'string') ?? '');
}

function altIn(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('alt' in value)) return '';
  return typeof value.alt === 'string' ? value.alt : '';
}
