import { PorchlightError } from '../contract/error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Deeper than any post is nested; shallow enough that walking it can not run out of stack. */
const deepest = 50;
/** Fields of a form, or keys of a JSON body at all depths together: far more than a post has. */
export const mostKeys = 2_000;

/** Names that mean something to JavaScript itself: as keys they are an attack or a mistake. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** @throws invalid_request for a key that no property may have. */
export function checkKey(key: string): void {
  if (forbiddenKeys.has(key)) throw invalid(`The name ${key} is not allowed.`);
}

/** True for a JSON object that is no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a JSON body.
 * @throws invalid_request where it is malformed, no object, nested too deep, of too many keys, or has a forbidden one.
 */
export function parseJsonObject(text: string): JsonObject {
  const value = parse(text);
  if (!isObject(value)) throw invalid('The body must be a JSON object.');
  checkKeys(value);
  return value;
}

export function invalid(message: string): PorchlightError {
  return new PorchlightError('invalid_request', message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

function checkKeys(root: JsonObject): void {
  let keys = 0;
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > deepest) throw invalid('The body is nested too deeply.');
    if (!Array.isArray(value)) {
      const names = Object.keys(value);
      keys += names.length;
      if (keys > mostKeys) throw invalid('The body has too many keys.');
      names.forEach(checkKey);
    }
    for (const inner of Object.values(value) as unknown[]) walk(inner, depth + 1);
  };
  walk(root, 1);
}
