import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Check, Errors } from 'typebox/value';

type IsValid = (value: unknown) => boolean;

/**
 * How many values are checked against a schema before it is compiled. Compiling takes milliseconds, and most schemas
 * are used only once, at startup.
 */
const checksBeforeCompiling = 20;

/**
 * For each schema, the number of values checked against it so far, or the compiled check once the schema has been
 * compiled.
 */
const usedSchemas = new WeakMap<TSchema, number | IsValid>();

/** Returns whether `value` matches `schema`. */
export function isValid<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  let used = usedSchemas.get(schema) ?? 0;
  if (typeof used === 'function') return used(value);
  if (used < checksBeforeCompiling) {
    usedSchemas.set(schema, used + 1);
    return Check(schema, value);
  }
  const compiled = Compile(schema);
  used = (checked) => compiled.Check(checked);
  usedSchemas.set(schema, used);
  return used(value);
}

/** Describes the first reason why `value` doesn't match `schema`. */
export function firstProblem(schema: TSchema, value: unknown): string {
  const [problem] = Errors(schema, value);
  return problem === undefined ? 'not valid' : `${problem.instancePath || '/'} ${problem.message}`;
}
