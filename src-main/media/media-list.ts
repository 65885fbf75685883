import { PorchlightError } from '../contract/error.ts';
import { mediaFileOf, type FileLine } from './index-line.ts';
import type { MediaFilter, MediaPage, MediaStore } from './media-store.ts';

export interface MediaListSource {
  /** Returns the months, such as `2026/11`, newest first. */
  months(): Promise<readonly string[]>;
  /** Returns the entries of a month, newest first. */
  entries(month: string): Promise<readonly FileLine[]>;
}

/**
 * Returns a page of files, newest first; see MediaStore.list. A month's folder contains the files uploaded in that
 * month, so months never overlap.
 */
export async function listMedia(
  source: MediaListSource,
  { limit, offset = 0, cursor, filter = {} }: Parameters<MediaStore['list']>[0],
): Promise<MediaPage> {
  const from = cursor === undefined ? undefined : stepOf(cursor);
  const passes = testOf(filter);
  const found: FileLine[] = [];
  let skipped = 0;
  for (const month of await source.months()) {
    if (from !== undefined && month > from.month) continue;
    const entries = await source.entries(month);
    const start = month === from?.month ? entries.findIndex((line) => isBeyond(line, from)) : 0;
    if (start === -1) continue;
    for (let index = start; index < entries.length; index += 1) {
      const line = entries[index];
      if (line === undefined || !passes(line)) continue;
      if (skipped < offset) {
        skipped += 1;
        continue;
      }
      // One file beyond the limit shows that there is another page.
      if (found.length >= limit) return pageOf(found, true);
      found.push(line);
    }
  }
  return pageOf(found, false);
}

function pageOf(found: readonly FileLine[], more: boolean): MediaPage {
  const last = found.at(-1);
  const items = found.map(mediaFileOf);
  return more && last !== undefined ? { items, nextCursor: cursorOf(last) } : { items };
}

function testOf({ kind, type, text, uploadedBy }: MediaFilter): (line: FileLine) => boolean {
  const wanted = text?.normalize('NFC').toLowerCase();
  const main = type === undefined || type.includes('/') ? undefined : `${type.toLowerCase()}/`;
  return (line) =>
    (kind === undefined || line.kind === kind) &&
    (uploadedBy === undefined || line.uploadedBy === uploadedBy) &&
    (type === undefined ||
      (main === undefined ? line.type === type.toLowerCase() : line.type.startsWith(main))) &&
    (wanted === undefined || line.name.toLowerCase().includes(wanted));
}

interface Step {
  readonly at: number;
  readonly path: string;
  readonly month: string;
}

/** A cursor names a position in the sort order, not a file, so it stays valid while files come and go. */
const cursorOf = ({ uploadedAt, path }: FileLine) =>
  Buffer.from(`${Date.parse(uploadedAt)} ${path}`).toString('base64url');

function stepOf(cursor: string): Step {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, at, path, month] = /^(\d{1,16}) (\/media\/(\d{4}\/\d{2})\/[\w.-]{1,200})$/.exec(text) ?? [];
  if (at === undefined || path === undefined || month === undefined)
    throw new PorchlightError(
      'invalid_request',
      'This cursor is not valid. Load the list again from its start.',
    );
  return { at: Number(at), path, month };
}

function isBeyond({ uploadedAt, path }: FileLine, { at, path: last }: Step): boolean {
  const moment = Date.parse(uploadedAt);
  return moment < at || (moment === at && path < last);
}
