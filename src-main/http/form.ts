import { PorchlightError } from '../contract/error.ts';

/** A parsed form or query. A field that appears more than once has a list as its value. */
export type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** Returns a request body as form fields; a body that is not a form has no fields. */
export function formFields(body: unknown): Fields {
  return typeof body === 'object' && body !== null ? (body as Fields) : {};
}

/**
 * Returns a field's only value, or undefined if the field is absent or empty.
 * @throws invalid_request if the field appears more than once.
 */
export function optionalField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (Array.isArray(value))
    throw new PorchlightError('invalid_request', `The parameter ${name} appears more than once.`);
  return value === '' ? undefined : value;
}

/**
 * Returns a field's only value.
 * @throws invalid_request if the field is absent, empty or appears more than once.
 */
export function requiredField(fields: Fields, name: string): string {
  const value = optionalField(fields, name);
  if (value === undefined) throw new PorchlightError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

/** The part of a list that a query requests. */
interface ListWindow {
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
