import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Nothing, closed } from './shapes.ts';

export const LinkTag = closed({ rel: Type.String(), href: Type.String() });
export type LinkTag = Static<typeof LinkTag>;

/** The link elements for the head of the owner's site: as data, and as HTML to paste. */
const LinkTags = closed({ tags: Type.Array(LinkTag), html: Type.String() });

/** One thing that was checked. `fix` says what to do where it is not as it should be. */
export const Finding = closed({
  id: Type.String(),
  level: Type.Union([Type.Literal('pass'), Type.Literal('warning'), Type.Literal('fail')]),
  title: Type.String(),
  detail: Type.String(),
  fix: Type.Optional(Type.String()),
});
export type Finding = Static<typeof Finding>;

export const setupMethods = {
  'setup.linkTags': method(Nothing, LinkTags),
  /** Fetches the owner's site and tells whether it carries the link elements. */
  'setup.check': method(Nothing, closed({ findings: Type.Array(Finding) })),
};
