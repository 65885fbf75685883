import { isDeepStrictEqual } from 'node:util';
import type { PostContent } from './post-store.ts';

/** Returns the names of the properties and Micropub commands that differ between two versions of a post. */
export function changedProperties(before: PostContent, after: PostContent): string[] {
  const old = partsOf(before);
  const now = partsOf(after);
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(old.get(name), now.get(name)));
}

function partsOf({ properties, commands, markdown }: PostContent): Map<string, unknown> {
  const parts = new Map<string, unknown>([...Object.entries(commands), ...Object.entries(properties)]);
  // Compares the Markdown, too, because two different Markdown texts can have the same HTML.
  return parts.set('content', [parts.get('content'), markdown]);
}
