import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';

/**
 * What the owner allowed an app: kept until it is revoked, ends, or was not used for long. Times in ms since the epoch.
 * Keys that this version does not know stay in the file: nobody is signed out for one.
 */
export const Grant = Type.Object({
  id: Type.String(),
  kind: Type.Union([Type.Literal('app'), Type.Literal('manual')]),
  me: Type.String(),
  clientId: Type.String(),
  clientName: Type.String(),
  clientLogo: Type.Union([Type.String(), Type.Null()]),
  /** What the owner calls the app; absent where they use the app's own name. */
  ownName: Type.Optional(Type.String()),
  /** The browser and system that the sign-in came from (deviceOf); absent where they are not known. */
  device: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String()),
  createdAt: Type.Integer(),
  lastUsedAt: Type.Union([Type.Integer(), Type.Null()]),
  /** When the owner's permission ends, whatever happens; null: open. */
  endsAt: Type.Union([Type.Integer(), Type.Null()]),
  revokedAt: Type.Union([Type.Integer(), Type.Null()]),
  refresh: Type.Union([
    closed({
      /** SHA-256 of the one refresh token that counts. */
      hash: Type.String(),
      /** The newest spent ones: one of these again is theft, and revokes the grant. */
      spent: Type.Array(Type.String()),
      expiresAt: Type.Integer(),
    }),
    Type.Null(),
  ]),
});
export type Grant = Static<typeof Grant>;

/** The content of grants.json. */
const GrantList = closed({ grants: Type.Array(Grant) });
export type GrantList = Static<typeof GrantList>;

export const grantsFormat = { schema: GrantList, format: 1, initial: { grants: [] } };

/** Returns what an app is called in the window: the owner's name for it, or its own. */
export function nameOf({ ownName, clientName }: Pick<Grant, 'ownName' | 'clientName'>): string {
  return ownName ?? clientName;
}

/** True while tokens of this grant may be accepted. `now`: ms since the epoch. */
export function isLive(grant: Grant, now: number): boolean {
  return grant.revokedAt === null && (grant.endsAt === null || now < grant.endsAt);
}

/** True while the app can still do something: it holds a lasting permission, or may renew a short one. */
export function isSignedIn(grant: Grant, now: number): boolean {
  if (!isLive(grant, now)) return false;
  return grant.refresh === null || grant.endsAt !== null || now < grant.refresh.expiresAt;
}
