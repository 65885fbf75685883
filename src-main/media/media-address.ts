import type { Properties } from '../contract/posts.ts';
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

/** Returns a post's alt text for a file; an empty string if there is none. */
export function altIn(properties: Properties, path: string): string {
  for (const name of ['photo', 'featured', 'video', 'audio']) {
    for (const value of properties[name] ?? []) {
      const url = fileAddressOf(value);
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
export function fileAddressOf(value: unknown): string | undefined {
  const text = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}
