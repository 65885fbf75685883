// The window needs only this function. It is not in contract.ts, so that the window doesn't load the schemas too.
import type { MethodName, Reply, Result } from './contract.ts';
import { PorchlightError } from './error.ts';

/**
 * Returns the result in a reply. It is not validated again, because the service built it from the contract's own
 * schema.
 * @throws PorchlightError if the reply is an error.
 */
export function resultOf<M extends MethodName>(reply: Reply): Result<M> {
  if ('error' in reply) throw new PorchlightError(reply.error.code, reply.error.message);
  return reply.result as Result<M>;
}
