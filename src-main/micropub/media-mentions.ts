import type { Properties } from '../contract/posts.ts';

/** The path of an uploaded file, wherever it stands in a text. */
const mention = /\/media\/\d{4}\/(?:0[1-9]|1[0-2])\/[A-Za-z0-9_-][A-Za-z0-9._-]*/g;

/**
 * The paths of uploaded files that a post mentions anywhere, in HTML and plain text too. Whatever the host: the
 * public address may have changed since, and a path can not be guessed.
 */
export function mediaIn(properties: Properties): string[] {
  const paths = new Set<string>();
  for (const text of textsIn(properties)) {
    // A file's name ends in no full stop, a sentence does.
    for (const [path] of text.matchAll(mention)) paths.add(path.replace(/\.+$/, ''));
  }
  return [...paths];
}

function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value) as unknown[]) yield* textsIn(inner);
}
