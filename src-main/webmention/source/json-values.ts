const mostValues = 500_000;

/** Returns the value of a JSON text; undefined if the text is invalid. */
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

/** Returns an object's own property; undefined for inherited ones. */
export function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns every string in a value, except keys. Uses no recursion, so a deep value cannot overflow the stack. */
export function stringsOf(value: unknown): string[] {
  return allIn(value).filter((each) => typeof each === 'string');
}

/** Returns every object in a value, outer ones first, in their original order. */
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
