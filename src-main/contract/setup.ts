import { Type, type Static } from 'typebox';
import { choice, closed, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

export const LinkTag = closed({ rel: Type.String(), href: Type.String() });
export type LinkTag = Static<typeof LinkTag>;

/** The link elements for the head of the owner's site: as data (`tags`), and as HTML to paste (`html`). */
const LinkTags = closed({ tags: Type.Array(LinkTag), html: Type.String() });

/** The result of one check. `fix`: instructions for solving the problem. */
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
 * The result of a self-test of the public origin `base`. The findings are in the order in which the owner should fix
 * them.
 */
export const SelfTest = closed({ findings: Type.Array(Finding), at: Type.String(), base: Type.String() });
export type SelfTest = Static<typeof SelfTest>;

/** The state of Tailscale. `name`: this computer's host name in the tailnet; null if Funnel can't use the name. */
const Tailscale = closed({
  state: choice('running', 'stopped', 'missing'),
  name: Maybe(253),
});
export type Tailscale = Static<typeof Tailscale>;

export const setupMethods = {
  'setup.linkTags': method(Nothing, LinkTags),
  /** Tests the public address and the owner's site. `only: "site"` tests only the site and doesn't store the result. */
  'setup.check': method(closed({ only: Type.Optional(Type.Literal('site')) }), SelfTest),
  /** Returns the result of the last full check; null if there was none. */
  'setup.lastCheck': method(Nothing, orNull(SelfTest)),
  /** Returns the state of Tailscale, as the `tailscale` command on this computer reports it. */
  'setup.tailscale': method(Nothing, Tailscale),
  /**
   * Starts a test sign-in. `url`: the page to open in the owner's browser. The URL works only once, and expires at
   * `expiresAt`.
   */
  'setup.testSignIn': method(Nothing, closed({ url: Type.String(), expiresAt: Moment })),
};
