import { Type, type Static } from 'typebox';
import { choice, closed, orNull } from '../contract/shapes.ts';

/**
 * The permission that the owner gave an app. It lasts until it is revoked, reaches its end (`endsAt`), or goes unused
 * for too long. Times are in ms since the epoch. Unknown keys are allowed and stay in the file. Rejecting a grant
 * because of them would sign the app out.
 */
export const Grant = Type.Object({
  id: Type.String(),
  kind: choice('app', 'manual'),
  me: Type.String(),
  clientId: Type.String(),
  clientName: Type.String(),
  clientLogo: orNull(Type.String()),
  /** The owner's name for the app; absent if the owner uses the app's own name. */
  ownName: Type.Optional(Type.String()),
  /** The browser and system that the sign-in came from (deviceOf); absent if unknown. */
  device: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String()),
  createdAt: Type.Integer(),
  lastUsedAt: orNull(Type.Integer()),
  /** When the permission ends, even if the app is in use; null if it never ends. */
  endsAt: orNull(Type.Integer()),
  revokedAt: orNull(Type.Integer()),
  refresh: orNull(
    closed({
      /** SHA-256 of the only refresh token that is still valid. */
      hash: Type.String(),
      /**
       * Hashes of used refresh tokens. A second use means that the token was probably stolen, so it revokes the grant.
       */
      spent: Type.Array(Type.String()),
      expiresAt: Type.Integer(),
    }),
  ),
});
export type Grant = Static<typeof Grant>;

export interface GrantList {
  grants: Grant[];
}

/** Returns the app's name as shown in the window: the owner's name for the app, or else the app's own name. */
export function grantName({ ownName, clientName }: Pick<Grant, 'ownName' | 'clientName'>): string {
  return ownName ?? clientName;
}

/** Returns whether tokens of a grant may still be accepted. `now`: ms since the epoch. */
export function isGrantLive(grant: Grant, now: number): boolean {
  return grant.revokedAt === null && (grant.endsAt === null || now < grant.endsAt);
}

/**
 * Returns whether an app can still use its grant. A grant with an end or without a refresh token has an access token
 * that lasts as long as the grant. Any other grant needs a refresh token that has not expired. `now`: ms since the
 * epoch.
 */
export function isSignedIn(grant: Grant, now: number): boolean {
  if (!isGrantLive(grant, now)) return false;
  return grant.refresh === null || grant.endsAt !== null || now < grant.refresh.expiresAt;
}
