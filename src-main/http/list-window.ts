import { PorchlightError } from '../contract/error.ts';
import { optionalField, type Fields } from './form.ts';

/** The part of a list that a query requests. */
export interface ListWindow {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly filter: string | undefined;
}

/**
 * Returns the limit (MX-6), offset (MX-7) and filter (MX-9) of a query.
 * @throws invalid_request
 */
export function windowOf(query: Fields): ListWindow {
  return {
    limit: wholeNumber(query, 'limit', 1),
    offset: wholeNumber(query, 'offset', 0),
    filter: optionalField(query, 'filter') ?? optionalField(query, 'search'), // `search` is the older name of `filter`
  };
}

function wholeNumber(query: Fields, name: string, least: number): number | undefined {
  const text = optionalField(query, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new PorchlightError('invalid_request', `${name} must be a whole number of at least ${least}.`);
  return Number(text);
}
