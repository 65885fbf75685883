import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { appOfToken, tokenOf } from '../http/bearer.ts';
import { insufficientScope, invalidToken, noToken } from '../http/errors.ts';
import type { TokenResource } from '../http/server-metadata.ts';
import { payAs } from '../http/visitor-cost.ts';
import type { Clock } from '../platform/clock.ts';
import { secretHash } from '../platform/secrets.ts';
import { canonical } from '../platform/web-address.ts';
import { createRecent } from '../storage/caches.ts';
import { type Grant, isGrantLive } from './grant.ts';
import type { Grants } from './store.ts';

/** The claims of a valid access token. Times are in seconds since the epoch. */
export interface AccessClaims {
  readonly grantId: string;
  readonly me: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number | undefined;
}

export type AccessTokens = Awaited<ReturnType<typeof createAccessTokens>>;

const algorithm = 'EdDSA';
const tokenType = 'at+jwt';
const longestToken = 8192;
/** The maximum size of the remembered claims, in bytes, and the estimated size of those of a token without its texts. */
const mostRemembered = 2_000_000;
const bytesOfOne = 500;

/** Creates an Ed25519 key and returns it as a private JWK on one line, to be stored in the keychain. */
export async function newSigningKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
  return JSON.stringify(await exportJWK(privateKey));
}

/** Creates the signer and verifier of access tokens. `issuer` is a function, because the public address can change. */
export async function createAccessTokens(signingKey: string, issuer: () => string, clock: Clock) {
  const { privateKey, publicKey, publicJwk } = await readKey(signingKey);
  /**
   * The claims of the tokens that were verified last, by the token's hash. Expiry and revocation are checked at each
   * use.
   */
  const verified = createRecent<AccessClaims>(mostRemembered);
  const seconds = () => Math.floor(clock() / 1000);

  return {
    /** Returns a signed token (RFC 9068, type at+jwt). `expiresAt`: seconds since the epoch. */
    async sign({
      grantId,
      me,
      clientId,
      scopes,
      expiresAt,
    }: Omit<AccessClaims, 'issuedAt'>): Promise<string> {
      const jwt = new SignJWT({ client_id: clientId, scope: scopes.join(' '), grant: grantId })
        .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: publicJwk.kid })
        .setIssuer(issuer())
        .setAudience(issuer())
        .setSubject(me)
        .setJti(randomUUID())
        .setIssuedAt(seconds());
      return (expiresAt === undefined ? jwt : jwt.setExpirationTime(expiresAt)).sign(privateKey);
    },

    /** Returns the claims of an unexpired token that this server signed; null for any other string. */
    async verify(token: string): Promise<AccessClaims | null> {
      if (token.length > longestToken) return null;
      const hash = secretHash(token);
      let claims = verified.get(hash) ?? null;
      if (claims === null) {
        claims = await readToken(token, publicKey, clock);
        // The claims are shorter than the token. Two bytes for each character.
        if (claims) verified.set(hash, claims, bytesOfOne + 2 * token.length);
      }
      return claims?.expiresAt !== undefined && seconds() >= claims.expiresAt ? null : claims;
    },

    /** The public keys that verify the tokens (RFC 7517). */
    jwks: { keys: [publicJwk] },
  };
}

async function readKey(text: string) {
  const jwk = JSON.parse(text) as JWK;
  const { kty, crv, x } = jwk;
  const publicPart = { kty, crv, x } as JWK;
  const kid = await calculateJwkThumbprint(publicPart);
  const privateKey = await importJWK(jwk, algorithm);
  const publicKey = await importJWK(publicPart, algorithm);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array)
    throw new TypeError('The signing key is not an Ed25519 key.');
  return { privateKey, publicKey, publicJwk: { ...publicPart, alg: algorithm, use: 'sig', kid } };
}

/**
 * Verifies a token and returns its claims; null if it is invalid. Doesn't check the issuer, because only this server
 * has the key, and tokens remain valid when the public address changes.
 */
async function readToken(token: string, key: CryptoKey, clock: Clock): Promise<AccessClaims | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      typ: tokenType,
      currentDate: new Date(clock()),
    });
    const { sub, iat, exp, client_id: clientId, scope, grant } = payload;
    if (sub === undefined || iat === undefined) return null;
    if (typeof clientId !== 'string' || typeof scope !== 'string' || typeof grant !== 'string') return null;
    return { grantId: grant, me: sub, clientId, scopes: scope.split(' '), issuedAt: iat, expiresAt: exp };
  } catch {
    return null;
  }
}

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
  /** Where the token must count; see Grant.resource. */
  readonly resource?: TokenResource;
  /** The token in the request's form, on routes that accept a token in a form (Micropub 3.1). */
  readonly bodyToken?: string | undefined;
}

/**
 * Returns functions that check access tokens. They verify a token's signature and expiry, and check that the token's
 * grant (the owner's permission) is still valid.
 */
export function createAccess(tokens: AccessTokens, grants: Grants, clock: Clock) {
  /**
   * Returns the claims of a token, and its app. Returns null if the token is forged, expired or revoked, or isn't an
   * access token. Also returns null if the token counts only elsewhere; see Grant.resource.
   */
  async function check(token: string, resource?: TokenResource): Promise<LiveClaims | null> {
    const claims = await tokens.verify(token);
    const grant = claims && grants.get(claims.grantId);
    if (!grant || !isGrantLive(grant, clock()) || grant.resource !== resource) return null;
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
      const { scope, nameMissing = true, bodyToken, resource } = demands;
      const token = tokenOf(request, bodyToken);
      if (token === undefined) throw noToken({ named: nameMissing });
      const claims = await check(token, resource);
      if (!claims) throw invalidToken();
      if (scope !== undefined && !claims.scopes.includes(scope)) throw insufficientScope(scope);
      payAs(request, claims.grantId);
      return claims;
    },
  };
}

function appOf({ id, kind, clientId }: Grant): string {
  return kind === 'manual' ? appOfToken(id) : canonical(clientId);
}
