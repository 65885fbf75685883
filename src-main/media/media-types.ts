import type { MediaKind } from '../contract/media.ts';

/**
 * The accepted media types. Pictures in HEIC and HEIF are converted to JPEG (see isShownByBrowsers), but files that are
 * already stored keep these types. Each type has one file extension, and no two types share an extension.
 */
const endings = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/ogg': 'ogv',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'audio/webm': 'weba',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
} as const;

/** An accepted media type, without parameters. */
export type TakenType = keyof typeof endings;

const types = new Map(Object.entries(endings).map(([type, ending]) => [ending, type]));

/** Returns the file extension of a type, without its dot. */
export const fileEnding = (type: TakenType): string => endings[type];

/** Returns the accepted type for a file extension, or undefined if no accepted type has that extension. */
export function typeOfEnding(ending: string): TakenType | undefined {
  const type = types.get(ending as (typeof endings)[TakenType]);
  return type === undefined ? undefined : (type as TakenType);
}

/** Names that the file-type package uses for accepted types. */
const otherNames: Readonly<Record<string, TakenType>> = {
  'image/apng': 'image/png',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'video/x-m4v': 'video/mp4',
  'audio/x-m4a': 'audio/mp4',
};

/** Returns the accepted type with the given name; undefined if there is none. Ignores parameters. */
export function takenType(name: string): TakenType | undefined {
  const plain = name.split(';', 1)[0]?.trim() ?? '';
  return plain in endings ? (plain as TakenType) : otherNames[plain];
}

/** Returns the kind of a media type: image, video, audio or document. */
export function mediaKindOf(type: string): MediaKind {
  const [main] = type.split('/', 1);
  return main === 'image' || main === 'video' || main === 'audio' ? main : 'document';
}

/** The accepted types in words, for error messages. */
export const takenInWords =
  'Porchlight accepts pictures (JPEG, PNG, GIF, WebP, AVIF, SVG, HEIC), videos (MP4, QuickTime, WebM, Ogg), audio (MP3, M4A, Ogg, WAV, FLAC, AAC, WebM), PDF, and text in UTF-8.';
