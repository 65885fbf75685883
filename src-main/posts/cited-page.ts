import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';

/**
 * A page that a post responds to, as the page's own metadata describes it. All fields are untrusted plain text from the
 * page. A field is absent if the page doesn't provide it. `text`: the beginning of the page's content. `published`: ISO
 * 8601.
 */
export const CitedPage = closed({
  name: Type.Optional(Type.String()),
  author: Type.Optional(closed({ name: Type.String(), url: Type.String() })),
  text: Type.Optional(Type.String()),
  published: Type.Optional(Type.String()),
});
export type CitedPage = Static<typeof CitedPage>;
