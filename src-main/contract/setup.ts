import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Maybe, Moment, Nothing, closed } from './shapes.ts';

export const LinkTag = closed({ rel: Type.String(), href: Type.String() });
export type LinkTag = Static<typeof LinkTag>;

/** The link elements for the head of the owner's site: as data, and as HTML to paste. */
const LinkTags = closed({ tags: Type.Array(LinkTag), html: Type.String() });

/** One thing that was checked. `fix` says what to do where it is not as it should be. */
export const Finding = closed({
  id: Type.String(),
  /** Where it is to be mended: at the public address, on the owner's site, on this computer. */
  area: Type.Union([Type.Literal('address'), Type.Literal('site'), Type.Literal('computer')]),
  level: Type.Union([Type.Literal('pass'), Type.Literal('warning'), Type.Literal('fail')]),
  title: Type.String(),
  detail: Type.String(),
  fix: Type.Optional(Type.String()),
});
export type Finding = Static<typeof Finding>;

/** What a self-test found, in the order in which a person mends it. `base`: the public origin that was tested. */
export const SelfTest = closed({ findings: Type.Array(Finding), at: Type.String(), base: Type.String() });
export type SelfTest = Static<typeof SelfTest>;

/** `running`: connected to a tailnet; `name`: the host name there, null where it has none that Funnel can use. */
const Tailscale = closed({
  state: Type.Union([Type.Literal('running'), Type.Literal('stopped'), Type.Literal('missing')]),
  name: Maybe(253),
});
export type Tailscale = Static<typeof Tailscale>;

export const setupMethods = {
  'setup.linkTags': method(Nothing, LinkTags),
  /**
   * Tests the public side through the public address, and the owner's site; kept as the last check. `only: "site"`
   * reads the owner's site alone, and keeps nothing.
   */
  'setup.check': method(closed({ only: Type.Optional(Type.Literal('site')) }), SelfTest),
  /** The last whole check; null where there was none yet. */
  'setup.lastCheck': method(Nothing, Type.Union([SelfTest, Type.Null()])),
  /** Returns what the `tailscale` command on this computer says. */
  'setup.tailscale': method(Nothing, Tailscale),
  /** Starts a test sign-in. `url`: a page for the owner's browser, for one sign-in until `expiresAt`. */
  'setup.testSignIn': method(Nothing, closed({ url: Type.String(), expiresAt: Moment })),
};
