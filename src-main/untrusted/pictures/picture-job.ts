/** The displayed size of a picture in pixels, with its orientation applied. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A smaller version of a picture. `ending`: the extension of its format. */
export interface PictureVersion {
  /** The width in pixels. */
  readonly width: number;
  readonly ending: 'webp' | 'jpg';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The versions of a picture to make. `widths`: the widths of the WebP versions, in pixels. `previewWidth`: the width of
 * a version for share previews, in pixels.
 */
export interface WantedVersions {
  readonly widths: readonly number[];
  readonly previewWidth: number;
}
