import { Type, type Static } from 'typebox';
import { choice, closed, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

export const LinkTag = closed({ rel: Type.String(), href: Type.String() });
export type LinkTag = Static<typeof LinkTag>;

/** The link elements for the head of the owner's site: as data, and as HTML to paste. */
const LinkTags = closed({ tags: Type.Array(LinkTag), html: Type.String() });

/** The result of one check. `fix`: what to do if something is wrong. */
export const Finding = closed({
  id: Type.String(),
  /** Where the owner can fix the problem: at the public address, on their site, or on this computer. */
  area: choice('address', 'site', 'computer'),
  level: choice('pass', 'warning', 'fail'),
  title: Type.String(),
  detail: Type.String(),
  fix: Type.Optional(Type.String()),
});
export type Finding = Static<typeof Finding>;

/**
 * The result of a self-test, with the findings in the order in which to fix them. `base`: the public origin that was
 * tested.
 */
export const SelfTest = closed({ findings: Type.Array(Finding), at: Type.String(), base: Type.String() });
export type SelfTest = Static<typeof SelfTest>;

/**
 * The state of Tailscale. `running`: connected to a tailnet. `name`: this computer's host name in the tailnet; null if
 * it has none that Funnel can use.
 */
const Tailscale = closed({
  state: choice('running', 'stopped', 'missing'),
  name: Maybe(253),
});
export type Tailscale = Static<typeof Tailscale>;

export const setupMethods = {
  'setup.linkTags': method(Nothing, LinkTags),
  /**
   * Tests the owner's site, and tests this server through its public address. Stores the result as the last check.
   * `only: "site"` tests the owner's site alone and stores nothing.
   */
  'setup.check': method(closed({ only: Type.Optional(Type.Literal('site')) }), SelfTest),
  /** Returns the last full check; null if there was none. */
  'setup.lastCheck': method(Nothing, orNull(SelfTest)),
  /** Returns what the `tailscale` command on this computer reports. */
  'setup.tailscale': method(Nothing, Tailscale),
  /**
   * Starts a test sign-in. `url`: a page to open in the owner's browser. The page works for one sign-in, until
   * `expiresAt`.
   */
  'setup.testSignIn': method(Nothing, closed({ url: Type.String(), expiresAt: Moment })),
};
