import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';

/**
 * A page that a post responds to, based on the page's own metadata. All fields are plain text written by strangers.
 * Fields that the page doesn't provide are absent. `text`: the beginning of the page's content. `published`: ISO 8601.
 */
export const CitedPage = closed({
  name: Type.Optional(Type.String()),
  author: Type.Optional(closed({ name: Type.String(), url: Type.String() })),
  text: Type.Optional(Type.String()),
  published: Type.Optional(Type.String()),
});
export type CitedPage = Static<typeof CitedPage>;
