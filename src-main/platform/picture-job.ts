/** What a picture is, as it is shown: its orientation is applied. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** What the picture worker can be asked: each job with its answer. */
export interface PictureJobs {
  measure: { job: { file: string }; answer: PictureSize };
  thumbnail: { job: { file: string; edge: number }; answer: Uint8Array<ArrayBuffer> };
  portrait: { job: { bytes: Uint8Array<ArrayBuffer>; edge: number }; answer: Uint8Array<ArrayBuffer> };
  shrink: { job: { bytes: Uint8Array<ArrayBuffer>; edge: number }; answer: { dataUrl: string } };
}

/** `trusted`: the picture is the owner's own, and may be larger than those of strangers. */
export type PictureJob = {
  [K in keyof PictureJobs]: { kind: K; trusted: boolean } & PictureJobs[K]['job'];
}[keyof PictureJobs];

/** Null where there is no picture, or none that can be read. */
export type PictureAnswer = PictureJobs[keyof PictureJobs]['answer'] | null;
