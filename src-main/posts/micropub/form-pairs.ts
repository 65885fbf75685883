import { invalid } from './safe-json.ts';

/** The fields of a form, in the order received. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Returns the token in a form, or undefined if there is none. The token can be anywhere among the fields (MP-1).
 * @throws invalid_request if there are several different tokens.
 */
export function tokenInForm(pairs: Pairs): string | undefined {
  const tokens = new Set(valuesOf(pairs, 'access_token'));
  if (tokens.size > 1) throw invalid('The parameter access_token appears more than once.');
  return [...tokens][0];
}

/** Returns whether a form creates a post: it has no `action` field, or its `action` is `create`. */
export const isCreateForm = (pairs: Pairs) => valuesOf(pairs, 'action').every((value) => value === 'create');

const valuesOf = (pairs: Pairs, wanted: string) =>
  pairs.filter(([name]) => name === wanted).map(([, value]) => value);
