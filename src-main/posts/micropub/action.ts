import { invalidRequest } from '../../http/errors.ts';
import { isRecord } from '../../storage/json-value.ts';
import { type Bag, checkValues, isCommand, withAltTexts } from '../post-content.ts';
import type { MicropubBody, Pairs } from './request-body.ts';
import { checkKey, type JsonObject } from './safe-json.ts';

/** The action that a client requests from the Micropub endpoint. */
export type Action =
  | { readonly kind: 'create'; readonly type: string[]; readonly bag: Bag }
  | { readonly kind: 'update'; readonly url: string; readonly update: Update }
  | { readonly kind: 'delete' | 'undelete'; readonly url: string };

/**
 * Returns the action that a request body describes.
 * @throws invalid_request
 */
export function actionOf(body: MicropubBody): Action {
  return body.kind === 'json' ? fromJson(body.object) : fromForm(body.pairs);
}

function fromJson(body: JsonObject): Action {
  const { action = 'create' } = body;
  if (action === 'create') return creating(createFromJson(body));
  const url = urlIn([body['url']]);
  if (action === 'update') return { kind: 'update', url, update: readUpdate(body) };
  return endingOf(action, url);
}

function fromForm(pairs: Pairs): Action {
  const fields = groupFields(pairs);
  const [action = 'create', ...more] = fields.get('action') ?? [];
  if (more.length > 0) throw invalidRequest('The parameter action appears more than once.');
  if (action === 'create') return creating(createFromForm(fields));
  if (action === 'update') throw invalidRequest('Send updates as JSON.'); // required by Micropub 3.4
  return endingOf(action, urlIn(fields.get('url') ?? []));
}

function endingOf(action: unknown, url: string): Action {
  if (action === 'delete' || action === 'undelete') return { kind: action, url };
  throw invalidRequest('The action must be one of: create, update, delete, undelete.');
}

function urlIn(values: readonly unknown[]): string {
  const [url, ...more] = values;
  if (typeof url !== 'string' || url === '' || more.length > 0)
    throw invalidRequest('The parameter url is missing.');
  return url;
}

function creating({ type, bag }: { type: string[]; bag: Bag }): Action {
  const said = [...bag].some(
    ([name, values]) => values.length > 0 && name !== 'access_token' && !isCommand(name),
  );
  if (!said) throw invalidRequest('The post has no properties.'); // a post needs more than commands and a token
  return { kind: 'create', type, bag };
}

/** Form fields that are not properties of the post (Micropub 3.1). */
const reserved = new Set(['', 'access_token', 'h', 'action', 'url']);

/**
 * Groups a form's fields by name, ignoring a trailing `[]` in the name. Each name has a list of values, even if there
 * is only one value (MP-21).
 * @throws invalid_request
 */
function groupFields(pairs: Pairs): Bag {
  const bag = new Map<string, string[]>();
  for (const [field, value] of pairs) {
    const name = field.endsWith('[]') ? field.slice(0, -2) : field;
    checkKey(name);
    if (/[[\]]/.test(name))
      throw invalidRequest(`The field name ${field} is not supported. Send nested values as JSON.`);
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
function createFromForm(fields: Bag): { type: string[]; bag: Bag } {
  const kind = fields.get('h')?.[0] ?? 'entry';
  if (typeof kind !== 'string' || !/^[a-z0-9-]{1,100}$/i.test(kind))
    throw invalidRequest('The parameter h must be a type such as entry.');
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

/**
 * Reads a new post from JSON (Micropub 3.3.2). Treats a single value as a list with one item (MP-32), and ignores a
 * null value.
 * @throws invalid_request
 */
function createFromJson(body: JsonObject): { type: string[]; bag: Bag } {
  const { properties } = body;
  if (!isRecord(properties)) throw invalidRequest('properties must be an object.');
  return {
    type: typeOf(body['type']),
    bag: withAltTexts(new Map([...commandsOf(body), ...entriesOf(properties)])),
  };
}

/**
 * Returns the commands at the top level of a JSON body. Some clients send commands at that level instead of inside
 * `properties` (MP-22).
 */
function commandsOf(body: JsonObject): [string, readonly unknown[]][] {
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
  if (names.length !== types.length) throw invalidRequest('type must be a list of names such as h-entry.');
  return names.length > 0 ? names : ['h-entry'];
}

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
  for (const part of [replace, add, remove]) checkValues(part);
  if (replace.size + add.size + drop.length + remove.size === 0)
    throw invalidRequest('An update must contain replace, add or delete.');
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
    put(name, [...present, ...without(values, present)]);
  }
  for (const name of drop) result.delete(name);
  for (const [name, values] of remove) {
    put(name, without(result.get(name) ?? [], values));
  }
  return result;
}

/**
 * Returns the values that another list doesn't contain. Compares values by their content, because a value may be an
 * object (a photo with its alt text).
 */
function without(values: readonly unknown[], others: readonly unknown[]): unknown[] {
  const known = new Set(others.map(contentOf));
  return values.filter((value) => !known.has(contentOf(value)));
}

/** Returns a text that two values share if they are equal, whatever the order of an object's keys. */
const contentOf = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

function listsOf(body: JsonObject, operation: string): Bag {
  const part = body[operation];
  if (part === undefined) return new Map();
  if (!isRecord(part)) throw invalidRequest(`${operation} must be an object whose values are lists.`);
  return new Map(
    Object.entries(part).map(([name, values]) => {
      if (!Array.isArray(values)) throw invalidRequest(`${operation}: the values of ${name} must be a list.`);
      return [name, values as unknown[]];
    }),
  );
}

function namesOf(list: unknown[]): string[] {
  return list.map((name) => {
    if (typeof name !== 'string')
      throw invalidRequest('delete must be a list of names, or an object whose values are lists.');
    return name;
  });
}
