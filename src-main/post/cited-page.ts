import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';

/**
 * A page that a post responds to, described by the page's own metadata. All fields are plain text written by strangers,
 * and absent if the page doesn't provide them. `text`: the beginning of the page's content. `published`: ISO 8601.
 */
export const CitedPage = closed({
  name: Type.Optional(Type.String()),
  author: Type.Optional(closed({ name: Type.String(), url: Type.String() })),
  text: Type.Optional(Type.String()),
  published: Type.Optional(Type.String()),
});
export type CitedPage = Static<typeof CitedPage>;
