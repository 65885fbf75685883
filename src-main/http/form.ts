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
