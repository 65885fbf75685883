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
export const versionPath = (path: string, ending: string) => `${path}.${ending}`;

/** Returns the paths that versions of the picture at a path can have. */
export const versionPaths = (path: string) => versionEndings.map((ending) => versionPath(path, ending));

/** Returns the width in the ending of a version's name, in pixels. */
export const widthOfEnding = (ending: string) => Number.parseInt(ending, 10);
