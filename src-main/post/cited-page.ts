import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';

/**
 * What a page that a post responds to says about itself. All of it is a stranger's plain text; what the page doesn't say
 * is absent. `text`: the beginning of its content. `published`: ISO 8601.
 */
export const CitedPage = closed({
  name: Type.Optional(Type.String()),
  author: Type.Optional(closed({ name: Type.String(), url: Type.String() })),
  text: Type.Optional(Type.String()),
  published: Type.Optional(Type.String()),
});
export type CitedPage = Static<typeof CitedPage>;
