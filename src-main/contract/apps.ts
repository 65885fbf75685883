import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Id, Maybe, Moment, Nothing, Scope, closed } from './shapes.ts';
import { Lifetime, Permission } from './sign-ins.ts';

/** An app that may act for the owner: one grant. */
export const App = closed({
  id: Id,
  /** `app`: signed in by the owner's approval; `manual`: a token made by hand. */
  kind: Type.Union([Type.Literal('app'), Type.Literal('manual')]),
  clientId: Type.String(),
  clientName: Type.String(),
  /** What the owner calls it; null: they use the app's own name. */
  name: Maybe(100),
  /** The browser and system that the sign-in came from, such as "Firefox on Windows"; null where they are not known. */
  device: Maybe(100),
  clientLogo: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Array(Type.String()),
  /** One a scope, in their order. */
  permissions: Type.Array(Permission),
  createdAt: Moment,
  lastUsedAt: Type.Union([Moment, Type.Null()]),
  /** When the owner's permission ends; null: when it is revoked, or not used for long. */
  expiresAt: Type.Union([Moment, Type.Null()]),
});
export type App = Static<typeof App>;

/** A token made by hand. It is shown this once. */
export const IssuedToken = closed({
  id: Id,
  token: Type.String(),
  scope: Type.String(),
  me: Type.String(),
  expiresAt: Type.Union([Moment, Type.Null()]),
});
export type IssuedToken = Static<typeof IssuedToken>;

export const appMethods = {
  'apps.list': method(Nothing, Type.Array(App)),
  'apps.revoke': method(closed({ id: Id }), closed({ id: Id })),
  /** Sets the owner's name for an app; an empty one returns to the app's own name. */
  'apps.rename': method(closed({ id: Id, name: Type.String({ maxLength: 100 }) }), App),
  /** What a token made by hand can be given. */
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
