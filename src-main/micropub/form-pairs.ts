import { invalid } from './safe-json.ts';

/** The fields of a form in the order in which they came. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** The token in a form, wherever it stands (MP-1). @throws invalid_request where there are several. */
export function tokenInForm(pairs: Pairs): string | undefined {
  const tokens = new Set(valuesOf(pairs, 'access_token'));
  if (tokens.size > 1) throw invalid('The parameter access_token appears more than once.');
  return [...tokens][0];
}

/** True where the fields name no other action than to create. */
export const isCreateForm = (pairs: Pairs) => valuesOf(pairs, 'action').every((value) => value === 'create');

const valuesOf = (pairs: Pairs, wanted: string) =>
  pairs.filter(([name]) => name === wanted).map(([, value]) => value);
