import { PorchlightError } from '../contract/error.ts';

/** A form or query as it was parsed: a field that came more than once is a list. */
export type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** Makes sure that a request body is a form. */
export function formOf(body: unknown): Fields {
  return typeof body === 'object' && body !== null ? (body as Fields) : {};
}

/** A field's one value; undefined where it is absent or empty. @throws invalid_request where it appears more than once. */
export function optionalField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (Array.isArray(value))
    throw new PorchlightError('invalid_request', `The parameter ${name} appears more than once.`);
  return value === '' ? undefined : value;
}

/** A field's one value. @throws invalid_request where it is absent, empty or appears more than once. */
export function requiredField(fields: Fields, name: string): string {
  const value = optionalField(fields, name);
  if (value === undefined) throw new PorchlightError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}
