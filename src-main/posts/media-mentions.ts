import type { Properties } from '../contract/posts.ts';

/** Matches the path of an uploaded file in a text. */
const mention = /\/media\/\d{4}\/(?:0[1-9]|1[0-2])\/[A-Za-z0-9_-][A-Za-z0-9._-]*/g;

/**
 * Returns the paths of the uploaded files whose URLs occur anywhere in a post, such as in its HTML. Ignores the host of
 * a URL, because the public address may have changed. The path is unguessable, so it identifies the file.
 */
export function mediaIn(properties: Properties): string[] {
  const paths = new Set<string>();
  for (const text of textsIn(properties)) {
    // A period at the end belongs to the sentence, not to the file name.
    for (const [path] of text.matchAll(mention)) paths.add(path.replace(/\.+$/, ''));
  }
  return [...paths];
}

function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value) as unknown[]) yield* textsIn(inner);
}
