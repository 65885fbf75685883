import { Type, type Static } from 'typebox';
import { MediaKind } from '../contract/media.ts';
import { closed, Maybe, Moment } from '../contract/shapes.ts';
import { isValid } from '../storage/schema-check.ts';
import { placeOf } from './media-name.ts';
import type { MediaFile } from './media-store.ts';

const Pixels = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]);

const FileLine = closed({
  path: Type.String(),
  name: Type.String({ minLength: 1 }),
  type: Type.String({ minLength: 1 }),
  kind: MediaKind,
  bytes: Type.Integer({ minimum: 0 }),
  width: Pixels,
  height: Pixels,
  uploadedAt: Moment,
  copyOf: Maybe(100_000),
  uploadedBy: Type.Optional(Type.String()),
  /** False if the picture's size has not been measured yet. */
  measured: Type.Optional(Type.Boolean()),
});
const DeletedLine = closed({ path: Type.String(), deleted: Type.Literal(true) });

/** The index entry of a file that exists. */
export type FileLine = Static<typeof FileLine>;
export type IndexLine = FileLine | Static<typeof DeletedLine>;

export const isFileLine = (line: IndexLine): line is FileLine => !('deleted' in line);

export interface FoldedLines {
  /** The last line of each file, by file name. */
  readonly lines: Map<string, IndexLine>;
  /** False if any line could not be understood. */
  readonly whole: boolean;
}

/** Folds the lines of a month's index into one line per file. */
export function folded(all: readonly unknown[], month: string): FoldedLines {
  const lines = new Map<string, IndexLine>();
  let whole = true;
  for (const line of all) {
    const place = isLine(line) ? placeOf(line.path) : undefined;
    if (!isLine(line) || place?.month !== month) whole = false;
    else lines.set(place.file, line);
  }
  return { lines, whole };
}

function isLine(line: unknown): line is IndexLine {
  if (isValid(DeletedLine, line)) return true;
  return isValid(FileLine, line) && !Number.isNaN(Date.parse(line.uploadedAt));
}

/** Converts an index entry to the form that the rest of the program uses. */
export function mediaFileOf({
  path,
  name,
  type,
  kind,
  bytes,
  width,
  height,
  uploadedAt,
  copyOf,
  uploadedBy,
}: FileLine): MediaFile {
  const file = { path, name, type, kind, bytes, width, height, uploadedAt, copyOf };
  return uploadedBy === undefined ? file : { ...file, uploadedBy };
}
