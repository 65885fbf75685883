import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

interface Compiled {
  Check(value: unknown): boolean;
  Errors(value: unknown): { instancePath: string; message: string }[];
}

/** Compiled schemas. Compiling takes milliseconds, and many documents share a schema. */
const compiledSchemas = new WeakMap<TSchema, Compiled>();

function compiled(schema: TSchema): Compiled {
  let check = compiledSchemas.get(schema);
  if (check === undefined) {
    check = Compile(schema);
    compiledSchemas.set(schema, check);
  }
  return check;
}

/** Returns whether `value` matches `schema`. */
export function isValid<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return compiled(schema).Check(value);
}

/** Returns, in words, the first problem that `schema` finds in `value`. */
export function firstProblem(schema: TSchema, value: unknown): string {
  const [problem] = compiled(schema).Errors(value);
  return problem === undefined ? 'not valid' : `${problem.instancePath || '/'} ${problem.message}`;
}
