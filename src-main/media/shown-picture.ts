import { previewWidth, versionPath, widthOfEnding } from './version-name.ts';

/** What pages need to know about the versions of a picture. Paths are below the public origin. Widths are in pixels. */
interface ShownPicture {
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
