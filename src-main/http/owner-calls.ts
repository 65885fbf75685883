import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '../contract/error-code.ts';
import type { OwnerApi } from '../contract/contract.ts';

/**
 * The size limit of a request body: 32 MiB, enough for a base64-encoded file from the owner (see windowUploadBytes).
 */
export const ownerBodyLimit = 32 * 1024 * 1024;

/**
 * Adds the route `POST /<method>` for the calls of the owner's API (contract/contract.ts). The caller must check that
 * requests come from the owner.
 */
export function addOwnerCalls(api: FastifyInstance, owner: OwnerApi): void {
  api.post<{ Params: { method: string } }>('/:method', async (request, reply) => {
    const answer = await owner.call(request.params.method, request.body ?? {});
    return reply.code('error' in answer ? (statuses[answer.error.code] ?? 400) : 200).send(answer);
  });
}

const statuses: Partial<Record<ErrorCode, number>> = {
  unknown_method: 404,
  not_found: 404,
  conflict: 409,
  not_editable: 409,
  slug_taken: 409,
  server_error: 500,
  storage_full: 507,
  storage_unwritable: 507,
  storage_gone: 507,
};
