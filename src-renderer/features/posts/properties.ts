import { responseProperties } from '../../../src-main/contract/post-kinds.ts';
import type { Properties } from '../../../src-main/contract/posts.ts';

/** A photo or the cover of a post. */
export interface Photo {
  readonly url: string;
  readonly alt: string;
}

/** Returns what a post responds to, each with words for the owner. */
export function contextOf(properties: Properties): { words: string; url: string }[] {
  return responseProperties.flatMap(({ name, words }) =>
    unique((properties[name] ?? []).map(addressIn)).map((url) => ({ words, url })),
  );
}

/**
 * Returns the cover and the photos of a post. A value is an address, or an address with alt text (microformats2, u-photo
 * with alt).
 */
export function photosOf({ featured = [], photo = [] }: Properties): Photo[] {
  const photos = [...featured, ...photo].map((value) => ({ url: addressIn(value), alt: altIn(value) }));
  return photos.filter(
    ({ url }, index) => url !== '' && photos.findIndex((other) => other.url === url) === index,
  );
}

/** Returns the values that are text, without duplicates. */
export function textsOf(values: readonly unknown[] = []): string[] {
  return unique(values.map((value) => (typeof value === 'string' ? value : '')));
}

const unique = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))];

/** Returns the address in a plain text, in a `value` or in the `url` of a nested citation; else an empty text. */
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
