import { mediaProperties } from '../contract/post-kinds.ts';
import type { Properties } from '../contract/posts.ts';
import { fileAddressOf, mediaPathOf } from '../media/media-address.ts';
import { attributeIn, scanHtml } from '../untrusted/pages/html-scan.ts';
import { readForWords } from './content-text.ts';
import { asText, htmlOf } from './values.ts';

const mostCopies = 50;

/**
 * Returns the URLs of a post's pictures, videos and audio files on other servers, from its properties and the HTML of
 * its content: the first 50. `base`: the public origin.
 */
export function filesElsewhere(properties: Properties, base: string): string[] {
  const { origin } = new URL(base);
  const found = new Set<string>();
  const add = (value: unknown): boolean => {
    const url = fileAddressOf(value);
    if (url !== undefined && new URL(url).origin !== origin && mediaPathOf(url) === undefined) found.add(url);
    return found.size < mostCopies;
  };
  if (mediaProperties.flatMap((name) => properties[name] ?? []).every(add))
    eachFileIn(htmlOf(properties.content?.[0]) ?? '', embedding, add);
  return [...found];
}

const embedding = ['img', 'video', 'audio', 'source'];
const isEmbedding = new RegExp(`<(?:${embedding.join('|')})\\b`, 'i');

/** Calls `each` with the addresses of files that elements of some names embed, until it returns false. */
function eachFileIn(html: string, names: readonly string[], each: (address: string) => boolean): void {
  if (!isEmbedding.test(html)) return;
  scanHtml(html, {
    element(name, attributes) {
      const address = names.includes(name) ? attributeIn(attributes, 'src') : undefined;
      return address === undefined || each(address.trim());
    },
  });
}

/**
 * Returns the URL of a post's first picture: its cover, its first photo, or the first picture near the beginning of its
 * text. `base`: the public origin.
 */
export function firstPictureOf(properties: Properties, base: string): string | undefined {
  const { featured = [], photo = [], content = [] } = properties;
  let found = [...featured, ...photo].map(asText).find((address) => address !== undefined);
  if (found === undefined)
    eachFileIn((htmlOf(content[0]) ?? '').slice(0, readForWords), ['img'], (address) => {
      found = address;
      return false;
    });
  return found !== undefined && URL.canParse(found, base) ? new URL(found, base).href : undefined;
}

/** Matches the path of an uploaded file in a text. */
const mention = /\/media\/\d{4}\/(?:0[1-9]|1[0-2])\/[A-Za-z0-9_-][A-Za-z0-9._-]*/g;

/**
 * Returns the paths of the uploaded files whose URLs occur anywhere in a post, such as in its HTML. Ignores the host of
 * a URL, because the public address may have changed. The path is unguessable, so it identifies the file.
 */
export function mediaIn(properties: Properties): string[] {
  const paths = new Set<string>();
  for (const text of textsIn(properties)) {
    // A period at the end belongs to the sentence, not to the file name.
    for (const [path] of text.matchAll(mention)) paths.add(path.replace(/\.+$/, ''));
  }
  return [...paths];
}

function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value) as unknown[]) yield* textsIn(inner);
}
