import type { Static, TSchema } from 'typebox';

/** A method of the contract: the schemas of its parameters and of its result. */
export interface Method<P extends TSchema = TSchema, R extends TSchema = TSchema> {
  readonly params: P;
  readonly result: R;
}

/** Declares a method of the contract. */
export function method<P extends TSchema, R extends TSchema>(params: P, result: R): Method<P, R> {
  return { params, result };
}

export type ParamsOf<M extends Method> = Static<M['params']>;
export type ResultOf<M extends Method> = Static<M['result']>;
