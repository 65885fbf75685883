import { invalidRequest } from '../../http/errors.ts';
import { isRecord } from '../../storage/json-value.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The maximum nesting depth of a JSON body: enough for any real post, and low enough to prevent a stack overflow. */
const deepest = 50;
/** The maximum number of fields in a form, or of keys at all levels of a JSON body. No post needs that many. */
export const mostKeys = 2_000;

/** Property names with a special meaning in JavaScript. A request that contains them is an attack or a mistake. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Checks the name of a property.
 * @throws invalid_request if the name is not allowed.
 */
export function checkKey(key: string): void {
  if (forbiddenKeys.has(key)) throw invalidRequest(`The name ${key} is not allowed.`);
}

/**
 * Parses a JSON body.
 * @throws invalid_request if the body is malformed, not an object, too deeply nested, has too many keys, or has a
 * forbidden key.
 */
export function parseJsonObject(text: string): JsonObject {
  const value = parse(text);
  if (!isRecord(value)) throw invalidRequest('The body must be a JSON object.');
  checkKeys(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}

/**
 * Checks the names at all levels of a value, its depth and the number of its names.
 * @throws invalid_request
 */
export function checkKeys(root: JsonObject): void {
  let keys = 0;
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > deepest) throw invalidRequest('The body is nested too deeply.');
    if (!Array.isArray(value)) {
      const names = Object.keys(value);
      keys += names.length;
      if (keys > mostKeys) throw invalidRequest('The body has too many keys.');
      names.forEach(checkKey);
    }
    for (const inner of Object.values(value) as unknown[]) walk(inner, depth + 1);
  };
  walk(root, 1);
}
