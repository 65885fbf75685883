import type { MethodName, OwnerApi, Params, Result } from '../contract/contract.ts';
import { resultOf } from '../contract/reply.ts';

/**
 * Calls a method of the owner's API from the main process, with the types from the API contract.
 * @throws PorchlightError if the reply is an error.
 */
export async function ask<M extends MethodName>(
  owner: OwnerApi,
  method: M,
  params: Params<M>,
): Promise<Result<M>> {
  return resultOf(await owner.call(method, params));
}
