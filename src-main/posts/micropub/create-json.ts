import { isCommand, withAltTexts, type Bag } from '../post-content.ts';
import { invalid, type JsonObject } from './safe-json.ts';
import { isRecord } from '../../storage/json-value.ts';

/**
 * Reads a new post from JSON (Micropub 3.3.2). Treats a single value as a list with one item (MP-32), and ignores a
 * null value.
 * @throws invalid_request
 */
export function createFromJson(body: JsonObject): { type: string[]; bag: Bag } {
  const { properties } = body;
  if (!isRecord(properties)) throw invalid('properties must be an object.');
  return {
    type: typeOf(body['type']),
    bag: withAltTexts(new Map([...commandsOf(body), ...entriesOf(properties)])),
  };
}

/**
 * Returns the commands at the top level of a JSON body. Some clients send commands at that level instead of inside
 * `properties` (MP-22).
 */
export function commandsOf(body: JsonObject): [string, readonly unknown[]][] {
  return entriesOf(body).filter(([name]) => isCommand(name));
}

function entriesOf(object: JsonObject): [string, readonly unknown[]][] {
  return Object.entries(object)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, Array.isArray(value) ? (value as unknown[]) : [value]]);
}

function typeOf(type: unknown): string[] {
  const types: unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const names = types.filter(
    (one) => typeof one === 'string' && /^h-[a-z0-9-]{1,100}$/i.test(one),
  ) as string[];
  if (names.length !== types.length) throw invalid('type must be a list of names such as h-entry.');
  return names.length > 0 ? names : ['h-entry'];
}
