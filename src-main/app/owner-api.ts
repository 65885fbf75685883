import {
  contract,
  type EventHub,
  type Handlers,
  isMethodName,
  type OwnerApi,
  type Reply,
} from '../contract/contract.ts';
import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import { FetchError } from '../platform/fetched-response.ts';
import type { Log } from '../platform/log.ts';
import { firstProblem, isValid } from '../storage/schema-check.ts';

type AnyHandler = (params: unknown) => unknown;

/**
 * Creates the owner's API. It checks every call, regardless of the transport. `failed`: called with the error of each
 * handler that fails. Must not throw.
 */
export function createOwnerApi(
  handlers: Handlers,
  hub: EventHub,
  log: Log,
  failed: (error: unknown) => void,
): OwnerApi {
  return {
    async call(name, params): Promise<Reply> {
      if (!isMethodName(name)) return failure('unknown_method', `There is no method “${name.slice(0, 60)}”.`);
      const schema = contract[name].params;
      if (!isValid(schema, params))
        return failure('invalid_request', `${name}: ${firstProblem(schema, params)}.`);
      try {
        return { result: await (handlers[name] as AnyHandler)(params) };
      } catch (error) {
        failed(error);
        if (error instanceof FetchError) return failure(error.code, error.detail);
        if (error instanceof PorchlightError) return failure(error.code, error.message);
        log.error({ err: error, method: name }, 'a call of the window failed');
        return failure('server_error', 'Something went wrong in Porchlight. See the log for details.');
      }
    },
    subscribe: (listener) => hub.subscribe(listener),
  };
}

function failure(code: ErrorCode, message: string): Reply {
  return { error: { code, message } };
}
