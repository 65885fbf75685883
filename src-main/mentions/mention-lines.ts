import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { documentCodec } from '../storage/document-format.ts';
import { openedSchema } from '../storage/document-shape.ts';
import { monthsIn } from '../storage/folder-names.ts';
import { readLines } from '../storage/line-file.ts';
import { firstProblem, isValid } from '../storage/schema-check.ts';
import { Mention } from './mention.ts';
import { jsonIn } from '../storage/json-value.ts';

/**
 * The format of a line in a month's file. Each line is one version of a mention. Each line contains its own format
 * number, so the file needs no header.
 */
export const mentionLineFormat = { schema: Mention, format: 1 };
const codec = documentCodec(mentionLineFormat);

const storable = openedSchema(Mention);

/**
 * Checks that this version of Porchlight can read a mention back from its file.
 * @throws PorchlightError `storage_invalid`
 */
export function assertStorable(mention: Mention): void {
  if (isValid(storable, mention)) return;
  const problem = firstProblem(storable, mention);
  throw new PorchlightError('storage_invalid', `This mention cannot be kept: ${problem}.`, 500);
}

/** Returns a mention as a line, with its line break. */
export const mentionLineText = (mention: Mention): string => `${JSON.stringify(codec.encode(mention))}\n`;

/** Returns a mention as an export contains it, with the number of its format. `decodedMention` reads it. */
export const exportedMention = (mention: Mention): unknown => codec.encode(mention);

/** The result of reading a line. The id may be readable even if the mention is not. */
export interface MentionLine {
  /** The mention; undefined if no part of the line is usable. */
  readonly mention: Mention | undefined;
  /** True if the line was partly or completely invalid. */
  readonly isDamaged: boolean;
  readonly id: string | undefined;
}

/**
 * Reads a line of `file`.
 * @throws PorchlightError `storage_newer`, `storage_migration`
 */
export function mentionIn(text: string, file: string): MentionLine {
  const decoded = decodedMention(jsonIn(text), file);
  if (decoded) return { ...decoded, id: decoded.mention.id };
  return { mention: undefined, isDamaged: true, id: /"id":"([^"\\]{1,200})"/.exec(text)?.[1] };
}

/**
 * Reads the JSON of a line of `file`; returns undefined if no part of it is usable.
 * @throws PorchlightError `storage_newer`, `storage_migration`
 */
export function decodedMention(
  value: unknown,
  file: string,
): { readonly mention: Mention; readonly isDamaged: boolean } | undefined {
  const decoded = codec.decode(value, file);
  // The index sorts mentions by the time of receipt, so that time must be valid.
  if (!('data' in decoded) || Number.isNaN(Date.parse(decoded.data.received))) return undefined;
  return { mention: decoded.data, isDamaged: (decoded.lost ?? []).length > 0 };
}

/**
 * Returns the version to use for a mention whose newest line is damaged. `before`: the previous version. The damaged
 * line may have withdrawn the mention's approval, so an approved mention is held until the owner decides again.
 */
export const inDoubt = (before: Mention): Mention =>
  before.status === 'approved' ? { ...before, status: 'held' } : before;

/** Returns the path of a month's file (month: `2026/11`). */
export const mentionFile = (dir: string, month: string) => join(dir, `${month}.jsonl`);

/**
 * Lists the months that have a file, oldest first.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export const mentionMonths = async (dir: string) => (await monthsIn(dir, /^(\d\d)\.jsonl$/)).reverse();

/** Returns the newest version of each mention of a month. `damaged`: how many lines were fully or partly unusable. */
export async function readMentionMonth(
  dir: string,
  month: string,
): Promise<{ mentions: Map<string, Mention>; damaged: number }> {
  const file = mentionFile(dir, month);
  const mentions = new Map<string, Mention>();
  let damaged = 0;
  for await (const lines of readLines(file))
    for (const { text } of lines) {
      if (text === '') continue;
      const line = mentionIn(text, file);
      if (line.mention) {
        if (line.mention.erased === true) mentions.delete(line.mention.id);
        else mentions.set(line.mention.id, line.mention);
        if (line.isDamaged) damaged += 1;
        continue;
      }
      damaged += 1;
      const before = mentions.get(line.id ?? '');
      if (before) mentions.set(before.id, inDoubt(before));
    }
  return { mentions, damaged };
}
