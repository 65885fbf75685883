import type { Properties } from '../contract/posts.ts';
import { attributeIn, scanHtml } from '../untrusted/pages/html-scan.ts';
import { htmlOf } from '../posts/values.ts';
import { versionNameIn } from './version-name.ts';

const pathPattern = /^\/media\/\d{4}\/(?:0[1-9]|1[0-2])\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}$/;

/**
 * Returns the path of the file on this server that a URL names; undefined if no file can have that URL. The URL of a
 * version of a picture names the original. Ignores the host, because the public address may have changed. This is safe,
 * because the path is unguessable.
 */
export function mediaPathOf(url: string): string | undefined {
  const path = URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost').pathname : '';
  return pathPattern.test(path) ? (versionNameIn(path)?.original ?? path) : undefined;
}

const mostCopies = 50;

/**
 * Returns the URLs of a post's pictures, videos and audio files on other servers, from its properties and the HTML of
 * its content. `base`: the public origin.
 */
export function filesElsewhere(properties: Properties, base: string): string[] {
  const named = ['photo', 'featured', 'video', 'audio'].flatMap((name) => properties[name] ?? []);
  const values = [...named, ...filesInContent(properties)];
  const urls = values.map(addressOf).filter((url) => url !== undefined);
  return [...new Set(urls)]
    .filter((url) => new URL(url).origin !== new URL(base).origin && mediaPathOf(url) === undefined)
    .slice(0, mostCopies);
}

const embedding = ['img', 'video', 'audio', 'source'];

function filesInContent({ content = [] }: Properties): string[] {
  const html = htmlOf(content[0]) ?? '';
  const found: string[] = [];
  if (!new RegExp(`<(?:${embedding.join('|')})\\b`, 'i').test(html)) return found;
  scanHtml(html, {
    element(name, attributes) {
      const address = embedding.includes(name) ? attributeIn(attributes, 'src') : undefined;
      if (address !== undefined) found.push(address.trim());
    },
  });
  return found;
}

/** Returns a post's alt text for a file; an empty string if there is none. */
export function altIn(properties: Properties, path: string): string {
  for (const name of ['photo', 'featured', 'video', 'audio']) {
    for (const value of properties[name] ?? []) {
      const url = addressOf(value);
      const alt = typeof value === 'object' && value !== null && 'alt' in value ? value.alt : undefined;
      if (url !== undefined && mediaPathOf(url) === path && typeof alt === 'string') return alt;
    }
  }
  return '';
}

/**
 * Returns the http or https URL in a property value. The value is a string or an object with a `value`, such as
 * `{value, alt}`.
 */
function addressOf(value: unknown): string | undefined {
  const text = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}
