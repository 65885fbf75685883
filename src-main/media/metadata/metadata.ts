import { planGif } from './gif.ts';
import { planHeif } from './heif.ts';
import { planJpeg } from './jpeg.ts';
import { planPng } from './png.ts';
import { planQuicktime } from './quicktime.ts';
import { planWebp } from './webp.ts';
import type { Part } from './parts.ts';
import type { Reader } from './reader.ts';

type Rule = (reader: Reader) => Promise<Part[] | null>;

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

/** True for a media type whose files can be cleaned. */
export function hasMetadataRules(type: string): boolean {
  return rules.has(type);
}

/**
 * How to write a file anew without what it tells of place and device, as the parts of it that stay. Nothing is decoded
 * or encoded: pixels, animation, colour profile and the way a picture is turned stay as they are. Pictures lose all
 * metadata; films and sounds lose place and device, in place, so that nothing in them moves.
 * An SVG picture and every other type stay whole: their words are what their author wrote.
 * @param type the media type that the content has
 * @returns the parts in their order; null where nothing has to change
 * @throws PorchlightError `invalid_request` (400) where the file is damaged beyond what can be cleaned safely
 */
export async function planWithoutMetadata(type: string, reader: Reader): Promise<Part[] | null> {
  return (await rules.get(type)?.(reader)) ?? null;
}
