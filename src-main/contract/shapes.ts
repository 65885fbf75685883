import { Type, type TProperties } from 'typebox';

/** Returns an object schema that rejects unknown keys. */
export function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** An empty object, for methods without parameters or without a result. */
export const Nothing = closed({});

/** A point in time: ISO 8601 in UTC, as Date.prototype.toISOString writes it. */
export const Moment = Type.String({ maxLength: 32 });

/** An identifier that the server generated. */
export const Id = Type.String({ minLength: 1, maxLength: 128 });

/** One scope name (RFC 6749, 3.3: scope-token). */
export const Scope = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$',
});

/** Text that may be null. */
export const Maybe = (maxLength = 2048) => Type.Union([Type.String({ maxLength }), Type.Null()]);
