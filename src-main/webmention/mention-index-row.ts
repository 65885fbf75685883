import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { MentionStatus, MentionType } from '../contract/webmentions.ts';
import { isValid } from '../storage/schema-check.ts';
import type { Mention } from './mention.ts';
import { filterable } from './mention-filter.ts';
import { monthOf, stepOf } from './mention-order.ts';

const Text = Type.String();

/** What lists, filters and counts need to know of a mention without its document: a line of its month. */
export const MentionRow = closed({
  id: Text,
  /** When it was received, in ms. */
  at: Type.Number(),
  source: Text,
  host: Text,
  type: MentionType,
  status: MentionStatus,
  wmId: Type.Integer(),
  /** How its words begin, in lower case. */
  text: Text,
  /** There are more words than that. */
  cut: Type.Boolean(),
  /** The owner chose the status. Lines from before this are not ours: their part is made anew. */
  chosen: Type.Boolean(),
});
export type MentionRow = Static<typeof MentionRow>;

/** The number of an imported mention: a line of its range of numbers. */
const ImportedRow = closed({ id: Text, wmId: Type.Integer() });
export type ImportedRow = Static<typeof ImportedRow>;

export type IndexRow = MentionRow | ImportedRow;

/** The mention is not in this part any more. */
const Gone = closed({ id: Text, gone: Type.Literal(true) });
const IndexLine = Type.Union([MentionRow, ImportedRow, Gone]);

export const isMentionRow = (row: IndexRow): row is MentionRow => 'at' in row;

const keptText = 280;
/** Numbers of one file. Those of one owner lie far apart: webmention.io counts for everybody. */
const rangeLength = 10_000;

const monthPart = /^\d{4}-\d{2}$/;
const rangePart = /^imported-(\d+)$/;
export const isMonth = (part: string) => monthPart.test(part);
export const isRange = (part: string) => rangePart.test(part);
export const isPart = (name: string) => isMonth(name) || isRange(name);
/** The lowest number of a range. */
export const rangeStart = (part: string) => Number(rangePart.exec(part)?.[1]) * rangeLength;

/** The part of the index that has the imported mention with this number. */
export const rangeOf = (wmId: number) => `imported-${Math.max(0, Math.floor(wmId / rangeLength))}`;

/** What the index holds of a mention, by the part (a file) that holds it. */
export function rowsOf(mention: Mention): [part: string, row: IndexRow][] {
  const { id, wmId, imported, chosen } = mention;
  const { at } = stepOf(mention);
  const { text, ...entry } = filterable(mention);
  const words = { text: text.slice(0, keptText), cut: text.length > keptText };
  const row = { id, at, ...entry, wmId, ...words, chosen };
  return [[monthOf(at), row], ...(imported ? [[rangeOf(wmId), { id, wmId }] as [string, IndexRow]] : [])];
}

/** What the lines of a part say in the end: the last line of a mention wins. `whole`: all lines were ours. */
export function foldedRows(lines: readonly unknown[]): { rows: Map<string, IndexRow>; whole: boolean } {
  const rows = new Map<string, IndexRow>();
  let whole = true;
  for (const line of lines) {
    if (!isValid(IndexLine, line)) whole = false;
    else if ('gone' in line) rows.delete(line.id);
    else rows.set(line.id, line);
  }
  return { rows, whole };
}
