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

/** The jobs of the picture worker, each with the type of its result. */
export interface PictureJobs {
  measure: { job: { file: string }; answer: PictureSize };
  thumbnail: { job: { file: string; edge: number }; answer: Uint8Array<ArrayBuffer> };
  versions: { job: { file: string; wanted: WantedVersions }; answer: readonly PictureVersion[] };
  portrait: { job: { bytes: Uint8Array<ArrayBuffer>; edge: number }; answer: Uint8Array<ArrayBuffer> };
  icon: { job: { bytes: Uint8Array<ArrayBuffer>; edge: number }; answer: Uint8Array<ArrayBuffer> };
  jpeg: { job: { file: string }; answer: Uint8Array<ArrayBuffer> };
  shrink: { job: { bytes: Uint8Array<ArrayBuffer>; edge: number }; answer: { dataUrl: string } };
}

/**
 * A job for the picture worker. `trusted`: whether the picture is the owner's own. The owner's pictures can be larger
 * than a stranger's.
 */
export type PictureJob = {
  [K in keyof PictureJobs]: { kind: K; trusted: boolean } & PictureJobs[K]['job'];
}[keyof PictureJobs];

/** The result of a job; null if the file is missing or isn't a readable picture. */
export type PictureAnswer = PictureJobs[keyof PictureJobs]['answer'] | null;
