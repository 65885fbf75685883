import { Type, type TLiteral, type TProperties, type TSchema, type TUnion } from 'typebox';

/** Returns an object schema that rejects unknown keys. */
export function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** Returns the schema of a string that is one of `texts`. */
export function choice<const Texts extends readonly string[]>(...texts: Texts) {
  const literals = texts.map((text) => Type.Literal(text));
  return Type.Union(literals) as TUnion<[...{ [Index in keyof Texts]: TLiteral<Texts[Index]> }]>;
}

/** An empty object, for methods without parameters or without a result. */
export const Nothing = closed({});

/** A point in time: ISO 8601 in UTC, in the format of Date.prototype.toISOString. */
export const Moment = Type.String({ maxLength: 32 });

/** A URL or a file path. */
export const Address = Type.String({ minLength: 1, maxLength: 4096 });

/** An identifier that the server, or the caller of a method, generated. */
export const Id = Type.String({ minLength: 1, maxLength: 128 });

/** One scope name (RFC 6749, 3.3: scope-token). */
export const Scope = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$',
});

/** Returns the schema of a value that may be null. */
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** Returns the schema of a string that may be null. */
export const Maybe = (maxLength = 2048) => orNull(Type.String({ maxLength }));

/**
 * Returns the schema of a result that says whether something has ended for good. `saved`: false while that can't be
 * written to the disk. It applies all the same, and is written as soon as there is room.
 */
export const withSaved = <P extends TProperties>(properties: P) =>
  closed({ ...properties, saved: Type.Boolean() });

/** Declares a method of the contract, with the schemas of its parameters and of its result. */
export function method<P extends TSchema, R extends TSchema>(params: P, result: R) {
  return { params, result };
}
