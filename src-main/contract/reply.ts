// The window needs only this function. It is not in contract.ts, so that the window doesn't load the schemas too.
import type { MethodName, ReceivedReply, Result } from './contract.ts';
import { isErrorCode } from './error-code.ts';
import { PorchlightError } from './error.ts';

/**
 * Returns the result in a reply. It is not validated again, because the service built it from the contract's own
 * schema.
 * @throws PorchlightError if the reply is an error. A code that this version doesn't know becomes `server_error`; the
 * message stays.
 */
export function resultOf<M extends MethodName>(reply: ReceivedReply): Result<M> {
  if ('error' in reply) {
    const { code, message } = reply.error;
    throw new PorchlightError(isErrorCode(code) ? code : 'server_error', message);
  }
  return reply.result as Result<M>;
}
