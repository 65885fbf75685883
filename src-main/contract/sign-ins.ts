import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Id, Maybe, Moment, Nothing, Scope, closed } from './shapes.ts';

/** A scope and what it lets an app do, in plain words. */
export const Permission = closed({ scope: Type.String(), words: Type.String() });
export type Permission = Static<typeof Permission>;

/** A sign-in that waits for the owner's answer. */
export const SignIn = closed({
  id: Id,
  /** Exactly two digits; the browser that asked shows the same ones. */
  matchCode: Type.String({ pattern: '^[0-9]{2}$' }),
  clientId: Type.String(),
  clientName: Type.String(),
  clientHost: Type.String(),
  /** A small picture as a data: URL, made by this server from what the app published. */
  clientLogo: Type.Union([Type.String(), Type.Null()]),
  redirectUri: Type.String(),
  /** The browser and system that it claims to come from, such as "Firefox on Windows"; null where they are not known. */
  device: Maybe(100),
  /** Every requested scope, unknown ones too (Micropub 5.4). */
  scopes: Type.Array(Type.String()),
  /** One a scope, in their order. */
  permissions: Type.Array(Permission),
  /** What is unusual about this request, in plain words. */
  warnings: Type.Array(Type.String()),
  requestedAt: Moment,
  expiresAt: Moment,
});
export type SignIn = Static<typeof SignIn>;

export const Outcome = Type.Union([
  Type.Literal('approved'),
  Type.Literal('denied'),
  Type.Literal('expired'),
]);
export type Outcome = Static<typeof Outcome>;

export const Settlement = closed({
  id: Id,
  outcome: Outcome,
  /** True where it expired because a newer one took its place. */
  replaced: Type.Optional(Type.Boolean()),
  /** True where the newer one came from another network and all places were taken, not from the same browser. */
  madeRoom: Type.Optional(Type.Boolean()),
  /** True where it expired because its browser cancelled it. */
  cancelled: Type.Optional(Type.Boolean()),
});
export type Settlement = Static<typeof Settlement>;

/** A sign-in that was settled. */
export const PastSignIn = closed({
  id: Id,
  at: Moment,
  outcome: Outcome,
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.String()),
});
export type PastSignIn = Static<typeof PastSignIn>;

/** Seconds that something may live: one second to ten years. */
export const Lifetime = Type.Integer({ minimum: 1, maximum: 315_360_000 });

export const signInMethods = {
  'signIns.list': method(Nothing, Type.Array(SignIn)),
  /** `scopes`: the granted part of the requested ones. `expiresIn`: seconds until the app is signed out; absent, until revoked. */
  'signIns.approve': method(
    closed({ id: Id, scopes: Type.Array(Scope, { maxItems: 100 }), expiresIn: Type.Optional(Lifetime) }),
    Settlement,
  ),
  'signIns.deny': method(closed({ id: Id }), Settlement),
  /** Newest first. */
  'signIns.history': method(
    closed({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }),
    Type.Array(PastSignIn),
  ),
};
