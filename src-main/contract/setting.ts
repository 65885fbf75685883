import { Type, type Static, type TObject, type TSchema } from 'typebox';

/**
 * What a restore does with a setting of the backup. `taken`: it takes the value without asking, because the setting
 * doesn't affect trust, privacy, or access to this computer. Otherwise, it asks the owner; the text is the label of the
 * setting there.
 */
type Restore = 'taken' | { readonly asks: string };

/** All that Porchlight knows about one setting. */
export interface Setting<S extends TSchema = TSchema> {
  readonly schema: S;
  readonly initial: Static<S>;
  readonly restore: Restore;
}

type Area = Readonly<Record<string, Setting>>;

/**
 * Declares a setting. `initial`: its value in a new data folder, and in files of older versions that don't have it.
 */
export const setting = <S extends TSchema>(schema: S, initial: Static<S>, restore: Restore): Setting<S> => ({
  schema,
  initial,
  restore,
});

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
