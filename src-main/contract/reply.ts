// `resultOf` has its own file, because the window needs this function but must not load the schemas in contract.ts.
import type { MethodName, Reply, Result } from './contract.ts';
import { isErrorCode, PorchlightError } from './error.ts';

const unreadable = { code: 'server_error', message: 'Porchlight sent an unreadable reply. Try again.' };

/**
 * Returns the result in a reply from another process. Does not validate the result, because the service built it from
 * the contract's own schema.
 * @throws PorchlightError if the reply is an error or is malformed. An error code that this version doesn't know
 * becomes `server_error`, with the same message.
 */
export function resultOf<M extends MethodName>(reply: unknown): Result<M> {
  const read = isReply(reply) ? reply : { error: unreadable };
  if ('result' in read) return read.result as Result<M>;
  const { code, message } = read.error;
  throw new PorchlightError(isErrorCode(code) ? code : 'server_error', message);
}

function isReply(value: unknown): value is Reply<string> {
  if (typeof value !== 'object' || value === null) return false;
  if (!('error' in value)) return 'result' in value;
  const { error } = value;
  if (typeof error !== 'object' || error === null || !('code' in error && 'message' in error)) return false;
  return typeof error.code === 'string' && typeof error.message === 'string';
}
