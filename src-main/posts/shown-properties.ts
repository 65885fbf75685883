import { factProperties, responseProperties } from '../contract/post-kinds.ts';
import type { Properties } from '../contract/posts.ts';
import { propertyValues } from './values.ts';

/** The properties that give a page something to show. */
const shown = [
  ...['content', 'name', 'summary', 'photo', 'featured', 'video', 'audio'],
  ...factProperties,
  ...responseProperties.map(({ name }) => name),
];

/** Returns whether a post contains anything that a page could show. */
export const showsSomething = (properties: Properties): boolean =>
  shown.some((name) => propertyValues(properties, name).length > 0);
