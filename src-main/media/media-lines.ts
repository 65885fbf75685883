import { Type, type Static } from 'typebox';
import { MediaKind } from '../contract/media.ts';
import { closed, Maybe, Moment } from '../contract/shapes.ts';
import { openedSchema } from '../storage/document-shape.ts';
import { readLines } from '../storage/line-file.ts';
import { isValid } from '../storage/schema-check.ts';
import { journalOf } from './media-folder.ts';
import { mediaPlace } from './media-name.ts';
import { jsonIn } from '../storage/json-value.ts';

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
// A newer version of Porchlight may have written keys that this version doesn't know.
const [openFileLine, openDeletedLine] = [openedSchema(FileLine), openedSchema(DeletedLine)];

/** A journal line about a file that exists. */
export type FileLine = Static<typeof FileLine>;
/** A line of a month's journal. For each path, only the newest line counts. */
export type MediaLine = FileLine | Static<typeof DeletedLine>;

export const isFileLine = (line: MediaLine): line is FileLine => !('deleted' in line);

/** Returns a journal line as text that ends with a line break. */
export const mediaLineText = (line: MediaLine): string => `${JSON.stringify(line)}\n`;

/**
 * Parses a line of a month's journal. Returns undefined if the line is damaged or describes a file of another month.
 */
export function lineIn(text: string, month: string): MediaLine | undefined {
  const line = jsonIn(text);
  if (!isLine(line) || mediaPlace(line.path)?.month !== month) return undefined;
  return line;
}

function isLine(line: unknown): line is MediaLine {
  if (isValid(openDeletedLine, line)) return true;
  return isValid(openFileLine, line) && !Number.isNaN(Date.parse(line.uploadedAt));
}

/**
 * Returns the newest line for each path in a month's journal. `damaged`: the number of unusable lines.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export async function readMediaMonth(
  dir: string,
  month: string,
): Promise<{ lines: Map<string, MediaLine>; damaged: number }> {
  const lines = new Map<string, MediaLine>();
  let damaged = 0;
  for await (const read of readLines(journalOf(dir, month)))
    for (const { text } of read) {
      const line = text === '' ? undefined : lineIn(text, month);
      if (line) lines.set(line.path, line);
      else if (text !== '') damaged += 1;
    }
  return { lines, damaged };
}
