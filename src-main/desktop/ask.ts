import type { MethodName, OwnerApi, Params, Result } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';

/**
 * Calls the owner's API from the main process, with the types of the contract.
 * Throws a PorchlightError with the reply's code where the reply is an error.
 */
export async function ask<M extends MethodName>(
  owner: OwnerApi,
  method: M,
  params: Params<M>,
): Promise<Result<M>> {
  const reply = await owner.call(method, params);
  if ('error' in reply) throw new PorchlightError(reply.error.code, reply.error.message);
  return reply.result as Result<M>;
}
