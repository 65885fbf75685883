// Apart from contract.ts, so that the window, which needs only this, does not carry the schemas too.
import type { MethodName, Reply, Result } from './contract.ts';
import { PorchlightError } from './error.ts';

/** The result of a reply; the service made it from the contract's own schema. @throws PorchlightError where it is an error. */
export function resultOf<M extends MethodName>(reply: Reply): Result<M> {
  if ('error' in reply) throw new PorchlightError(reply.error.code, reply.error.message);
  return reply.result as Result<M>;
}
