import { isDeepStrictEqual } from 'node:util';
import { readDate } from './date.ts';
import type { Bag } from './post-content.ts';
import { invalid } from './micropub/safe-json.ts';

/** Properties that hold one date and nothing else. */
const dates = ['published', 'updated'];
/** Properties of an event that may also hold other text, which pages show as it is. */
const times = ['start', 'end'];

/**
 * Returns a post's properties with the dates in the form that Porchlight stores (see readDate). `before`: the properties
 * before the change. Values that were there before stay as they are. `zone`: the owner's time zone.
 * @throws invalid_request if `published` or `updated` is not one date
 */
export function withReadDates(bag: Bag, before: Bag, zone: string): Bag {
  const result = new Map(bag);
  for (const name of dates) {
    const values = bag.get(name) ?? [];
    if (values.length === 0 || isDeepStrictEqual(values, before.get(name))) continue;
    if (values.length > 1) throw invalid(`A post can have only one date in ${name}.`);
    result.set(
      name,
      values.map((value) => dateIn(value, zone) ?? refuse(name)),
    );
  }
  for (const name of times) {
    const [values, old] = [bag.get(name), before.get(name) ?? []];
    const read = (value: unknown) => (old.includes(value) ? value : (dateIn(value, zone) ?? value));
    if (values) result.set(name, values.map(read));
  }
  return result;
}

const dateIn = (value: unknown, zone: string) =>
  typeof value === 'string' ? readDate(value, zone) : undefined;

function refuse(name: string): never {
  throw invalid(`The date in ${name} is not valid. Send a date such as 2027-06-01T09:00:00+02:00.`);
}
