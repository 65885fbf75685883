import type { PictureSize } from '../../untrusted/pictures/picture-decoder.ts';
import { planGif } from './gif.ts';
import { planHeif } from './heif.ts';
import { planJpeg } from './jpeg.ts';
import { planPng } from './png.ts';
import { planQuicktime } from './quicktime.ts';
import { planWebp } from './webp.ts';
import type { FilePiece, Reader } from './reader.ts';

type Rule = (reader: Reader, measured: (size: PictureSize) => void) => Promise<FilePiece[] | null>;

const rules = new Map<string, Rule>([
  ['image/jpeg', planJpeg],
  ['image/png', planPng],
  ['image/apng', planPng],
  ['image/webp', planWebp],
  ['image/gif', planGif],
  ['image/heic', planHeif],
  ['image/heif', planHeif],
  ['image/heic-sequence', planHeif],
  ['image/heif-sequence', planHeif],
  ['image/avif', planHeif],
  ['video/mp4', planQuicktime],
  ['video/x-m4v', planQuicktime],
  ['video/quicktime', planQuicktime],
  ['video/3gpp', planQuicktime],
  ['video/3gpp2', planQuicktime],
  ['audio/mp4', planQuicktime],
  ['audio/x-m4a', planQuicktime],
]);

/** Returns whether metadata can be removed from files of a media type. */
export function hasMetadataRules(type: string): boolean {
  return rules.has(type);
}

/**
 * Returns the parts of the cleaned version of a file, which has no location or device data. Pixels, animation, color
 * profile and orientation stay as they are, because nothing is decoded or encoded. Pictures lose all metadata. In
 * videos and audio files, zeros replace location and device data, so that all other data keeps its position. SVG
 * pictures and all other types stay unchanged. (The text in an SVG picture was written by its author.)
 * @param type the media type of the content
 * @param measured called with the displayed size of the picture, if its header leaves no doubt about it
 * @returns the parts in order, or null if nothing has to change
 * @throws PorchlightError `invalid_request` (400) if the file is too damaged to be cleaned safely
 */
export async function planWithoutMetadata(
  type: string,
  reader: Reader,
  measured: (size: PictureSize) => void = () => undefined,
): Promise<FilePiece[] | null> {
  return (await rules.get(type)?.(reader, measured)) ?? null;
}
