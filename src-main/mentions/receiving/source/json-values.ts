import { isRecord, jsonIn } from '../../../storage/json-value.ts';

const mostValues = 500_000;

/** Parses a stranger's JSON, which may start with a byte order mark. Returns undefined if the JSON is invalid. */
export const parsedJson = (text: string): unknown => jsonIn(text.replace(/^\ufeff/, ''));

/** Returns every string in a value, except keys. Not recursive, so a deeply nested value cannot overflow the stack. */
export function stringsOf(value: unknown): string[] {
  return allIn(value).filter((each) => typeof each === 'string');
}

/** Returns all objects in a value, in their original order. An object comes before the objects inside it. */
export function recordsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return allIn(value).filter(isRecord);
}

function allIn(value: unknown): unknown[] {
  const found: unknown[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && found.length < mostValues) {
    const next = waiting.pop();
    found.push(next);
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    for (let index = inner.length - 1; index >= 0; index -= 1) waiting.push(inner[index]);
  }
  return found;
}
