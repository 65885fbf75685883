import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../http/bearer.ts';
import { insufficientScope, invalidToken, noToken } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import { isLive } from './grant.ts';
import type { Grants } from './store.ts';

export interface Access {
  /** What a token may do right now; null where it does not count (forged, expired, revoked, not an access token). */
  check(token: string): Promise<AccessClaims | null>;
  /** The claims of a request's token. `scope`: one that it must have. @throws BearerError (RFC 6750, 3). */
  of(request: FastifyRequest, options?: { scope?: string; nameMissing?: boolean }): Promise<AccessClaims>;
}

/** Tells what the bearer of an access token may do: the signature, the time, and the grant behind it. */
export function createAccess({
  tokens,
  grants,
  clock,
}: {
  tokens: AccessTokens;
  grants: Grants;
  clock: Clock;
}): Access {
  async function check(token: string): Promise<AccessClaims | null> {
    const claims = await tokens.verify(token);
    const grant = claims && grants.get(claims.grantId);
    if (!grant || !isLive(grant, clock())) return null;
    grants.touch(grant.id);
    return claims;
  }

  return {
    check,
    async of(request, { scope, nameMissing = true } = {}) {
      const token = bearerOf(request);
      if (token === undefined) throw noToken({ named: nameMissing });
      const claims = await check(token);
      if (!claims) throw invalidToken();
      if (scope !== undefined && !claims.scopes.includes(scope)) throw insufficientScope(scope);
      return claims;
    },
  };
}
