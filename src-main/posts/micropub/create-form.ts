import type { Pairs } from './form-pairs.ts';
import { withAltTexts, type Bag } from '../post-content.ts';
import { checkKey, invalid } from './safe-json.ts';

/** Form fields that are not properties of the post (Micropub 3.1). */
const reserved = new Set(['', 'access_token', 'h', 'action', 'url']);

/**
 * Groups a form's fields by name, ignoring a trailing `[]` in the name. Each name has a list of values, even if there
 * is only one value (MP-21).
 * @throws invalid_request
 */
export function groupFields(pairs: Pairs): Bag {
  const bag = new Map<string, string[]>();
  for (const [field, value] of pairs) {
    const name = field.endsWith('[]') ? field.slice(0, -2) : field;
    checkKey(name);
    if (/[[\]]/.test(name))
      throw invalid(`The field name ${field} is not supported. Send nested values as JSON.`);
    const values = bag.get(name);
    if (values) values.push(value);
    else bag.set(name, [value]);
  }
  return bag;
}

/**
 * Reads a new post from a form (Micropub 3.3.1). Empty fields count as absent, because clients also send the fields
 * that the user left empty.
 * @throws invalid_request
 */
export function createFromForm(fields: Bag): { type: string[]; bag: Bag } {
  const kind = fields.get('h')?.[0] ?? 'entry';
  if (typeof kind !== 'string' || !/^[a-z0-9-]{1,100}$/i.test(kind))
    throw invalid('The parameter h must be a type such as entry.');
  const properties = [...fields].filter(([name]) => !reserved.has(name));
  const filled = [...withAltTexts(new Map(properties))]
    .map(([name, values]) => [name, values.filter((value) => value !== '')] as const)
    .filter(([, values]) => values.length > 0);
  return { type: [`h-${kind}`], bag: withOldSlug(new Map(filled)) };
}

/** Renames the field `slug`, the older name of mp-slug, to mp-slug (MX-1). */
function withOldSlug(bag: Bag): Bag {
  const slug = bag.get('slug');
  if (!slug) return bag;
  const others = [...bag].filter(([name]) => name !== 'slug');
  return new Map([['mp-slug', slug], ...others]);
}
