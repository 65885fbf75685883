import { mediaProperties } from '../contract/post-kinds.ts';
import type { Properties } from '../contract/posts.ts';

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
  for (const name of mediaProperties) {
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

/** The widths of the versions of a picture for pages, in pixels. */
export const pageWidths = [480, 960, 1440, 2000] as const;
/** The width of the version for share previews, in pixels. */
export const previewWidth = 1200;

/**
 * The names that follow a picture's name in the name of each of its possible versions. The version for share previews
 * is WebP if the picture is transparent.
 */
export const versionEndings: readonly string[] = [
  ...pageWidths.map((width) => `${width}.webp`),
  `${previewWidth}.jpg`,
  `${previewWidth}.webp`,
];

/** A version of a picture. `ending`: one of `versionEndings`. */
interface VersionName {
  /** The path or file name of the original. */
  readonly original: string;
  readonly ending: string;
}

/**
 * Returns the original and the ending in the path or file name of a version: `/media/2026/11/abc-fog.jpg.960.webp`.
 * Returns undefined for any other name. No upload has such a name (see newFileName).
 */
export function versionNameIn(text: string): VersionName | undefined {
  const ending = versionEndings.find((one) => text.endsWith(`.${one}`));
  return ending === undefined ? undefined : { original: text.slice(0, -ending.length - 1), ending };
}

/** Returns the path of a version of the picture at a path. */
const versionPath = (path: string, ending: string) => `${path}.${ending}`;

/** Returns the paths that versions of the picture at a path can have. */
export const versionPaths = (path: string) => versionEndings.map((ending) => versionPath(path, ending));

/** Returns the width in the ending of a version's name, in pixels. */
const widthOfEnding = (ending: string) => Number.parseInt(ending, 10);

/** What pages need to know about the versions of a picture. Paths are below the public origin. Widths are in pixels. */
export interface ShownPicture {
  readonly versions: readonly { readonly path: string; readonly width: number }[];
  /** The version for share previews. */
  readonly preview?: string;
}

/** Returns the versions of a picture that exist, from the narrowest to the widest. `endings`: see versionEndings. */
export function shownPicture({ path }: { readonly path: string }, endings: readonly string[]): ShownPicture {
  const isPreview = (ending: string) => widthOfEnding(ending) === previewWidth;
  const preview = endings.find(isPreview);
  return {
    versions: endings
      .filter((ending) => !isPreview(ending))
      .map((ending) => ({ path: versionPath(path, ending), width: widthOfEnding(ending) })),
    ...(preview !== undefined && { preview: versionPath(path, preview) }),
  };
}
