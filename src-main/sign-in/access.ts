import type { FastifyRequest } from 'fastify';
import { tokenOf } from '../http/bearer.ts';
import { insufficientScope, invalidToken, noToken } from '../http/errors.ts';
import { payAs } from '../http/visitor-cost.ts';
import type { Clock } from '../platform/clock.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import { isGrantLive, type Grant } from './grant.ts';
import type { Grants } from './store.ts';
import { canonical } from '../platform/web-address.ts';

/** The claims of a valid token, with the name of the app that the token belongs to. */
export interface LiveClaims extends AccessClaims {
  /** A name that identifies the app across all its sign-ins. A manually issued token counts as an app of its own. */
  readonly app: string;
}

export type Access = ReturnType<typeof createAccess>;

export interface TokenDemands {
  /** A scope that the token must include. */
  readonly scope?: string;
  /** Whether the response to a request without a token contains an error code (IndieAuth 8.1). The default is true. */
  readonly nameMissing?: boolean;
  /** The token in the request's form, on routes that accept a token in a form (Micropub 3.1). */
  readonly bodyToken?: string | undefined;
}

interface AccessDeps {
  readonly tokens: AccessTokens;
  readonly grants: Grants;
  readonly clock: Clock;
}

/**
 * Returns functions that check access tokens. They verify a token's signature and expiry, and check that the token's
 * grant (the owner's permission) is still valid.
 */
export function createAccess({ tokens, grants, clock }: AccessDeps) {
  /**
   * Returns the claims of a token, and its app. Returns null if the token is forged, expired or revoked, or isn't an
   * access token.
   */
  async function check(token: string): Promise<LiveClaims | null> {
    const claims = await tokens.verify(token);
    const grant = claims && grants.get(claims.grantId);
    if (!grant || !isGrantLive(grant, clock())) return null;
    grants.touch(grant.id);
    return { ...claims, app: appOf(grant) };
  }

  return {
    check,
    /**
     * Returns the claims of a request's token.
     * @throws BearerError (RFC 6750, 3)
     */
    async of(request: FastifyRequest, demands: TokenDemands = {}): Promise<LiveClaims> {
      const { scope, nameMissing = true, bodyToken } = demands;
      const token = tokenOf(request, bodyToken);
      if (token === undefined) throw noToken({ named: nameMissing });
      const claims = await check(token);
      if (!claims) throw invalidToken();
      if (scope !== undefined && !claims.scopes.includes(scope)) throw insufficientScope(scope);
      payAs(request, claims.grantId);
      return claims;
    },
  };
}

function appOf({ id, kind, clientId }: Grant): string {
  return kind === 'manual' ? `token ${id}` : canonical(clientId);
}
