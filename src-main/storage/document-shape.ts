import type { TSchema } from 'typebox';
import { isValid } from './schema-check.ts';
import { isRecord } from './json-value.ts';

type Json = Record<string, unknown>;

/** The parts of a JSON schema that decide how a value is adapted to the schema. */
interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly default?: unknown;
}

const openSchemas = new WeakMap<TSchema, TSchema>();

/**
 * Returns a copy of `schema` that allows unknown keys at any depth. Documents are checked against this copy, so keys
 * from other versions survive when this version saves.
 */
export function openedSchema<S extends TSchema>(schema: S): S {
  const known = openSchemas.get(schema);
  if (known !== undefined) return known as S;
  const opened = withoutRefusals(schema) as S;
  openSchemas.set(schema, opened);
  return opened;
}

function withoutRefusals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRefusals);
  if (!isRecord(value)) return value;
  const parts = Object.entries(value).filter(
    ([key, part]) => key !== 'additionalProperties' || part !== false,
  );
  return Object.fromEntries(parts.map(([key, part]) => [key, withoutRefusals(part)]));
}

/**
 * A value that was adapted to its schema. `lost`: the keys (such as `webmention.hold`) whose invalid values were
 * replaced.
 */
export interface Fitted {
  readonly value: unknown;
  readonly lost: readonly string[];
}

/**
 * Adapts a value to a schema. Missing keys get their value from `initial`, or from the schema's `default`. Invalid
 * values are replaced in the same way, and invalid list items are left out. Everything else stays. Returns undefined
 * if a required part is unusable and has no initial value. `path`: the keys that lead to the value.
 */
export function fittedToSchema(
  schema: TSchema,
  value: unknown,
  initial: unknown,
  path: readonly string[] = [],
): Fitted | undefined {
  const isFitting: boolean = isValid(schema, value);
  if (isFitting) return { value, lost: [] };
  const shape: Shape = schema;
  const parts = isRecord(value) ? objectIn(shape) : undefined;
  // Never replace an unusable object with null or an empty object. Return undefined instead. The document's previous
  // version can then be used, and it preserves more of the data.
  if (isRecord(value) && parts !== undefined) return fitObject(parts, value, initial, path);
  if (Array.isArray(value) && shape.items !== undefined) {
    const list = fitItems(shape.items, value, path);
    if (isValid(schema, list.value)) return list;
  }
  const replacement = initial === undefined ? shape.default : initial;
  if (!isValid(schema, replacement)) return undefined;
  return { value: structuredClone(replacement), lost: value === undefined ? [] : [path.join('.')] };
}

/** Returns `shape` if it describes an object, otherwise the first schema in its `anyOf` that describes an object. */
function objectIn(shape: Shape): Shape | undefined {
  if (shape.properties !== undefined) return shape;
  return shape.anyOf?.find((option: Shape) => option.properties !== undefined);
}

function fitObject(
  { properties = {}, required = [] }: Shape,
  value: Json,
  initial: unknown,
  path: readonly string[],
): Fitted | undefined {
  const result = { ...value };
  const lost: string[] = [];
  for (const [key, schema] of Object.entries(properties)) {
    const isMissing = !Object.hasOwn(value, key);
    if (isMissing && !required.includes(key)) continue;
    const part = fittedToSchema(
      schema,
      isMissing ? undefined : value[key],
      isRecord(initial) ? initial[key] : undefined,
      [...path, key],
    );
    if (part !== undefined) {
      result[key] = part.value;
      lost.push(...part.lost);
    } else if (required.includes(key)) return undefined;
    else {
      Reflect.deleteProperty(result, key);
      lost.push([...path, key].join('.'));
    }
  }
  return { value: result, lost };
}

function fitItems(schema: TSchema, items: readonly unknown[], path: readonly string[]): Fitted {
  const kept: unknown[] = [];
  const lost: string[] = [];
  for (const [at, item] of items.entries()) {
    const place = [...path, String(at + 1)];
    const part = fittedToSchema(schema, item, undefined, place);
    if (part !== undefined) kept.push(part.value);
    lost.push(...(part?.lost ?? [place.join('.')]));
  }
  return { value: kept, lost };
}

const knownParts = new WeakMap<object, unknown>();

/**
 * Returns the data of a document with only the keys that `schema` names, at every level of nesting. The data must not
 * change afterwards, because the result is cached.
 */
export function knownPart<T extends object>(schema: TSchema, data: T): T {
  const known = knownParts.get(data) ?? onlyKnown(schema, data);
  knownParts.set(data, known);
  return known as T;
}

function onlyKnown(schema: TSchema, value: unknown): unknown {
  const shape: Shape = schema;
  const { items } = shape;
  if (Array.isArray(value)) return items ? (value as unknown[]).map((item) => onlyKnown(items, item)) : value;
  const { properties } = objectIn(shape) ?? {};
  if (!isRecord(value) || properties === undefined) return value;
  const known = Object.entries(properties).filter(([key]) => Object.hasOwn(value, key));
  return Object.fromEntries(known.map(([key, part]) => [key, onlyKnown(part, value[key])]));
}
