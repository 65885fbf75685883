import { type Static, Type } from 'typebox';
import { choice, closed, Id, Maybe, method, Moment, Nothing, orNull, Scope, withSaved } from './shapes.ts';

/** The scope names in the server's metadata (RFC 8414: scopes_supported). */
export const knownScopes = [
  'profile',
  'email',
  'create',
  'draft',
  'update',
  'delete',
  'undelete',
  'media',
  'read_mentions',
];

/** The scopes that mean something for assistants, whose tokens count at /mcp only. */
export const assistantScopes = ['draft', 'create', 'media', 'read_mentions'];

/** A scope. `words` describes the access that it gives an app, in plain language. */
export const Permission = closed({ scope: Type.String(), words: Type.String() });
export type Permission = Static<typeof Permission>;

/**
 * Returns whether scopes let an app read what strangers wrote and publish posts, so that a stranger's words could tell
 * it what to post.
 */
export function readsAndPublishes(scopes: readonly string[]): boolean {
  const publishes = ['create', 'post', 'update'].some((scope) => scopes.includes(scope));
  return publishes && scopes.includes('read_mentions');
}

/** A sign-in that awaits the owner's decision. */
export const SignIn = closed({
  id: Id,
  /** Two digits, shown both in the window and in the browser that started the sign-in. */
  matchCode: Type.String({ pattern: '^[0-9]{2}$' }),
  clientId: Type.String(),
  clientName: Type.String(),
  clientHost: Type.String(),
  /** A small copy of the app's logo, as a data: URL; null if the app has none. */
  clientLogo: orNull(Type.String()),
  redirectUri: Type.String(),
  /**
   * The browser and operating system according to the User-Agent header, such as "Firefox on Windows"; null if unknown.
   */
  device: Maybe(100),
  /** All requested scopes, including unknown ones (Micropub 5.4). */
  scopes: Type.Array(Type.String()),
  /** One permission per scope, in the same order as `scopes`. */
  permissions: Type.Array(Permission),
  /** Warnings about unusual details of this request, as text for the owner. */
  warnings: Type.Array(Type.String()),
  /** True if the app is an assistant, which reads and writes by itself (MCP). */
  assistant: Type.Optional(Type.Literal(true)),
  /** The scopes that the app has from earlier sign-ins; absent if there are none. */
  held: Type.Optional(Type.Array(Type.String())),
  /** True if the permissions must be chosen one by one: a prompt offers Review instead of Approve. */
  needsReview: Type.Optional(Type.Literal(true)),
  requestedAt: Moment,
  expiresAt: Moment,
});
export type SignIn = Static<typeof SignIn>;

export const Outcome = choice('approved', 'denied', 'expired');
export type Outcome = Static<typeof Outcome>;

export const Settlement = closed({
  id: Id,
  outcome: Outcome,
  /**
   * Whether the sign-in expired because a newer sign-in replaced it. The newer sign-in came from the same browser,
   * unless `madeRoom` is true.
   */
  replaced: Type.Optional(Type.Boolean()),
  /** Whether a sign-in from another network replaced this sign-in, because too many sign-ins were waiting. */
  madeRoom: Type.Optional(Type.Boolean()),
  /** True if the sign-in expired because the browser that started it cancelled it. */
  cancelled: Type.Optional(Type.Boolean()),
  /** The name of the phone with which the owner decided; absent if it was this computer. */
  by: Type.Optional(Type.String()),
});
export type Settlement = Static<typeof Settlement>;

/** A sign-in that was approved or denied, or that expired. */
export const PastSignIn = closed({
  id: Id,
  at: Moment,
  outcome: Outcome,
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.String()),
  /** Where the owner decided: `computer`, or the name of a phone. */
  by: Type.String(),
  /** True if the approval still gives the app access, which `signIns.undo` ends. */
  canUndo: Type.Optional(Type.Literal(true)),
});
export type PastSignIn = Static<typeof PastSignIn>;

/** A lifetime in seconds: one second to ten years. */
export const Lifetime = Type.Integer({ minimum: 1, maximum: 315_360_000 });

export const signInMethods = {
  'signIns.list': method(Nothing, Type.Array(SignIn)),
  /**
   * Approves a sign-in with some of the requested scopes. `expiresIn`: how long the app has access, in seconds. If
   * `expiresIn` is absent, the app has access until the owner revokes it. `both`: the owner was warned that the app may
   * read mentions and publish posts, so that a stranger's words could tell it what to post.
   * @throws needs_review if an app gets both permissions without `both`
   */
  'signIns.approve': method(
    closed({
      id: Id,
      scopes: Type.Array(Scope, { maxItems: 100 }),
      expiresIn: Type.Optional(Lifetime),
      both: Type.Optional(Type.Boolean()),
    }),
    Settlement,
  ),
  'signIns.deny': method(closed({ id: Id }), Settlement),
  /** Lists past sign-ins, newest first. */
  'signIns.history': method(
    closed({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }),
    Type.Array(PastSignIn),
  ),
  /**
   * Ends what an approval gave: the access of the app, or the code that it hasn't redeemed yet.
   * @throws not_found (404) if the approval gives nothing any more
   */
  'signIns.undo': method(closed({ id: Id }), withSaved({ id: Id })),
};

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
  /**
   * Whether Porchlight signed the app out by itself, because data that decides about its access was lost. The entry
   * disappears when the app signs in again.
   */
  mustSignInAgain: Type.Optional(Type.Literal(true)),
  /** What an assistant did since the server started, such as `read 4 posts, wrote 1 draft`. Only in lists. */
  calls: Type.Optional(Type.String()),
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

const ForAssistant = Type.Optional(Type.Boolean());

export const appMethods = {
  'apps.list': method(Nothing, Type.Array(App)),
  'apps.revoke': method(closed({ id: Id }), withSaved({ id: Id })),
  /** Sets the name that the owner sees for an app. An empty name restores the app's own name. */
  'apps.rename': method(closed({ id: Id, name: Type.String({ maxLength: 100 }) }), App),
  /** Lists the permissions that the owner can give to a token created by hand. `assistant`: see apps.issueToken. */
  'apps.permissions': method(closed({ assistant: ForAssistant }), Type.Array(Permission)),
  /**
   * Creates a token by hand. `assistant`: the token counts at /mcp, and nowhere else.
   * @throws not_allowed for such a token while assistants are off; needs_review if it would read mentions and publish
   */
  'apps.issueToken': method(
    closed({
      label: Type.String({ minLength: 1, maxLength: 100 }),
      scopes: Type.Array(Scope, { minItems: 1, maxItems: 100 }),
      expiresIn: Type.Optional(Lifetime),
      assistant: ForAssistant,
    }),
    IssuedToken,
  ),
};
