import { PorchlightError } from '../contract/error.ts';
import { documentCodec } from '../storage/document-format.ts';
import { openedSchema } from '../storage/document-shape.ts';
import { firstProblem, isValid } from '../storage/schema-check.ts';
import { Mention } from './mention.ts';

/** The format of a mention in an export. */
export const mentionFormat = { schema: Mention, format: 1 };
const codec = documentCodec(mentionFormat);

const storable = openedSchema(Mention);

/** Returns whether a value is a mention that Porchlight could have stored. */
export const isStorable = (value: unknown): value is Mention =>
  isValid(storable, value) &&
  // Mentions are sorted by the time of receipt and by their number, so both must be valid.
  !Number.isNaN(Date.parse(value.received)) &&
  Number.isSafeInteger(value.wmId) &&
  isWritable(value);

/** Returns whether a value can be written as JSON. Values that are nested too deeply can only be read. */
function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that this version of Porchlight can read a mention back.
 * @throws PorchlightError `storage_invalid`
 */
export function assertStorable(mention: Mention): void {
  if (isStorable(mention)) return;
  const problem = firstProblem(storable, mention);
  throw new PorchlightError('storage_invalid', `This mention cannot be kept: ${problem}.`, 500);
}

/** Returns a mention as an export contains it, with the number of its format. `decodedMention` reads it. */
export const exportedMention = (mention: Mention): unknown => codec.encode(mention);

/**
 * Reads the JSON of a mention in an export; returns undefined if no part of it is usable. `file`: its name, for errors.
 * @throws PorchlightError `storage_newer`, `storage_migration`
 */
export function decodedMention(value: unknown, file: string): Mention | undefined {
  const decoded = codec.decode(value, file);
  return 'data' in decoded && isStorable(decoded.data) ? decoded.data : undefined;
}
