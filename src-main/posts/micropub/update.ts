import { isDeepStrictEqual } from 'node:util';
import { commandsOf } from './create-json.ts';
import { withAltTexts, type Bag } from '../post-content.ts';
import { invalid, type JsonObject } from './safe-json.ts';
import { isRecord } from '../../storage/json-value.ts';

/** The requested changes to a post (Micropub 3.4). Commands count as properties with the prefix `mp-`. */
export interface Update {
  readonly replace: Bag;
  readonly add: Bag;
  /** Properties to delete with all their values. */
  readonly drop: readonly string[];
  /** Single values to delete, by property. */
  readonly remove: Bag;
}

/**
 * Reads an update request.
 * @throws invalid_request if a part has the wrong form, or if there is nothing to change (MP-40, MP-41).
 */
export function readUpdate(body: JsonObject): Update {
  const removal = body['delete'];
  const update: Update = {
    replace: withAltTexts(new Map([...commandsOf(body), ...listsOf(body, 'replace')])),
    add: listsOf(body, 'add'),
    drop: Array.isArray(removal) ? namesOf(removal) : [],
    remove: Array.isArray(removal) ? new Map() : listsOf(body, 'delete'),
  };
  const { replace, add, drop, remove } = update;
  if (replace.size + add.size + drop.length + remove.size === 0)
    throw invalid('An update must contain replace, add or delete.');
  return update;
}

/** Returns the properties and commands after an update. Does not modify `bag`. */
export function applyUpdate(bag: Bag, { replace, add, drop, remove }: Update): Bag {
  const result = new Map(bag);
  const put = (name: string, values: readonly unknown[]) =>
    values.length > 0 ? result.set(name, values) : result.delete(name);

  for (const [name, values] of replace) put(name, values);
  for (const [name, values] of add) {
    const present = result.get(name) ?? [];
    put(name, [...present, ...values.filter((value) => !includes(present, value))]);
  }
  for (const name of drop) result.delete(name);
  for (const [name, values] of remove) {
    const present = result.get(name) ?? [];
    put(
      name,
      present.filter((value) => !includes(values, value)),
    );
  }
  return result;
}

/**
 * Returns whether a list contains a value. Compares values by their content, because a value may be an object (a photo
 * with its alt text).
 */
function includes(values: readonly unknown[], value: unknown): boolean {
  return values.some((one) => isDeepStrictEqual(one, value));
}

function listsOf(body: JsonObject, operation: string): Bag {
  const part = body[operation];
  if (part === undefined) return new Map();
  if (!isRecord(part)) throw invalid(`${operation} must be an object whose values are lists.`);
  return new Map(
    Object.entries(part).map(([name, values]) => {
      if (!Array.isArray(values)) throw invalid(`${operation}: the values of ${name} must be a list.`);
      return [name, values as unknown[]];
    }),
  );
}

function namesOf(list: unknown[]): string[] {
  return list.map((name) => {
    if (typeof name !== 'string')
      throw invalid('delete must be a list of names, or an object whose values are lists.');
    return name;
  });
}
