import { Type, type TProperties } from 'typebox';

/** An object that refuses keys it does not name. */
export function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** For methods that take nothing. */
export const Nothing = closed({});

/** A moment: ISO 8601 in UTC, as Date.prototype.toISOString writes it. */
export const Moment = Type.String({ maxLength: 32 });

/** An identifier that the server made. */
export const Id = Type.String({ minLength: 1, maxLength: 128 });

/** One scope name (RFC 6749, 3.3: scope-token). */
export const Scope = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$',
});

/** Text that may be absent. */
export const Maybe = (maxLength = 2048) => Type.Union([Type.String({ maxLength }), Type.Null()]);
