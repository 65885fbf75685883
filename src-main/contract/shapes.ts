import {
  type Static,
  type TLiteral,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox';

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

/** The path of a file or folder on this computer. */
export const DiskPath = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\0]+$' });

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
 * Returns the schema of a result that says whether access was revoked for good. `saved`: false while that can't be
 * written to the disk. It applies all the same, and is written as soon as that is possible.
 */
export const withSaved = <P extends TProperties>(properties: P) =>
  closed({ ...properties, saved: Type.Boolean() });

/** Declares a method of the contract, with the schemas of its parameters and of its result. */
export function method<P extends TSchema, R extends TSchema>(params: P, result: R) {
  return { params, result };
}

/** The words of one value of a setting that has a few of them. */
export interface OptionWords {
  readonly label: string;
  readonly help?: string;
}

/** How a form shows a setting, how the owner finds it, and what a restore does with it. */
interface SettingWords<Value> {
  /** The label of its field. */
  readonly label: string;
  /** What the owner should know before a change. */
  readonly help?: string;
  /** Other words that people search for. */
  readonly also?: string;
  readonly options?: Readonly<Record<Extract<Value, string>, OptionWords>>;
  /** Shown while the setting is on. */
  readonly warning?: string;
  /** Shown in an empty field. */
  readonly example?: string;
  /**
   * What the field takes, if the setting's type doesn't say so. `sites`: host names. `code`: several lines for
   * programs.
   */
  readonly field?: 'url' | 'email' | 'sites' | 'code';
  /**
   * Whether a restore takes the value of the backup without asking the owner. Only for a setting that doesn't affect
   * trust, privacy, or access to this computer.
   */
  readonly taken?: true;
  /** What the restore of a backup calls the setting, if the label says too little there. */
  readonly asks?: string;
}

/** All that Porchlight knows about one setting. */
export interface Setting<S extends TSchema = TSchema> extends Omit<SettingWords<unknown>, 'options'> {
  readonly schema: S;
  readonly initial: Static<S>;
  readonly options?: Readonly<Record<string, OptionWords>>;
}

type Area = Readonly<Record<string, Setting>>;

/**
 * Declares a setting. `initial`: its value in a new data folder, and in files of older versions that don't have it.
 */
export const setting = <S extends TSchema>(
  schema: S,
  initial: Static<S>,
  words: SettingWords<Static<S>>,
): Setting<S> => ({ schema, initial, ...words });

/** Returns the schema of an area of settings. */
export function settingsSchema<A extends Area>(area: A): TObject<{ [Name in keyof A]: A[Name]['schema'] }> {
  const schemas = Object.fromEntries(Object.entries(area).map(([name, { schema }]) => [name, schema]));
  return Type.Object(schemas as { [Name in keyof A]: A[Name]['schema'] }, { additionalProperties: false });
}

/** Returns the initial values of an area of settings. The values are copies, so a caller may change them. */
export function initialValues<A extends Area>(area: A): { [Name in keyof A]: Static<A[Name]['schema']> } {
  const values = Object.entries(area).map(([name, { initial }]) => [name, structuredClone(initial)]);
  return Object.fromEntries(values) as { [Name in keyof A]: Static<A[Name]['schema']> };
}
