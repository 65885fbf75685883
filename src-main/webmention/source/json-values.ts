const mostValues = 500_000;

/** A JSON text as a value; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A property that is the object's own; undefined for what every object has. */
export function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Every string in a value, its keys left out; not one call deeper for a deeper value. */
export function stringsOf(value: unknown): string[] {
  return allIn(value).filter((each) => typeof each === 'string');
}

/** Every object in a value, outer ones first, in its own order. */
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
