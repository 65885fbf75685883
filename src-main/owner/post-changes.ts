import { isDeepStrictEqual } from 'node:util';
import type { PostContent } from '../micropub/post-store.ts';

/** Returns the names of the properties that differ between two versions of a post, and `slug` never. */
export function changedProperties(before: PostContent, after: PostContent): string[] {
  const names = new Set([...Object.keys(before.properties), ...Object.keys(after.properties)]);
  const changed = [...names].filter(
    (name) => !isDeepStrictEqual(before.properties[name], after.properties[name]),
  );
  const isOther = !isDeepStrictEqual(before.commands, after.commands);
  return isOther ? [...changed, 'syndicate-to'] : changed;
}
