import { Type, type Static } from 'typebox';
import { choice, closed, Id, Maybe, method, Moment, Nothing, orNull, Scope, withSaved } from './shapes.ts';
import { Lifetime, Permission } from './sign-ins.ts';

/** An app or an access token that may act for the owner. Each entry is one approved sign-in or one access token. */
export const App = closed({
  id: Id,
  /** `app`: an app whose sign-in the owner approved. `manual`: an access token that the owner created by hand. */
  kind: choice('app', 'manual'),
  clientId: Type.String(),
  clientName: Type.String(),
  /** The name that the owner gave the app; null if the owner didn't rename it. */
  name: Maybe(100),
  /** The browser and operating system used for the sign-in, such as "Firefox on Windows"; null if unknown. */
  device: Maybe(100),
  clientLogo: orNull(Type.String()),
  scopes: Type.Array(Type.String()),
  /** One permission per scope, in the same order as `scopes`. */
  permissions: Type.Array(Permission),
  createdAt: Moment,
  lastUsedAt: orNull(Moment),
  /**
   * When the access expires. If null, access lasts until the owner revokes it, or until the app hasn't been used for
   * too long (see `refreshTokenSeconds` in the settings).
   */
  expiresAt: orNull(Moment),
});
export type App = Static<typeof App>;

/** A new access token that the owner created by hand. Only this result contains the token; it can't be shown again. */
export const IssuedToken = closed({
  id: Id,
  token: Type.String(),
  scope: Type.String(),
  me: Type.String(),
  expiresAt: orNull(Moment),
});
export type IssuedToken = Static<typeof IssuedToken>;

export const appMethods = {
  'apps.list': method(Nothing, Type.Array(App)),
  'apps.revoke': method(closed({ id: Id }), withSaved({ id: Id })),
  /** Sets the name that the owner sees for an app. An empty name restores the app's own name. */
  'apps.rename': method(closed({ id: Id, name: Type.String({ maxLength: 100 }) }), App),
  /** Lists the permissions that the owner can give to a token created by hand. */
  'apps.permissions': method(Nothing, Type.Array(Permission)),
  'apps.issueToken': method(
    closed({
      label: Type.String({ minLength: 1, maxLength: 100 }),
      scopes: Type.Array(Scope, { minItems: 1, maxItems: 100 }),
      expiresIn: Type.Optional(Lifetime),
    }),
    IssuedToken,
  ),
};
