import { portableMarkdown, withPlainSigns } from './markdown-source.ts';
import { plainTextMarkdown } from './markdown-text.ts';

/** The text of a post to write into a file. */
export interface PostSource {
  readonly text: string;
  readonly isMarkdown: boolean;
  /** The URLs of the people in the text, by handle. */
  readonly people: Readonly<Record<string, string>>;
  /** Whether quotes, dashes and dots must be protected from the generator (see withPlainSigns). */
  readonly hasPlainSigns: boolean;
}

/** Returns a post's text as Markdown that every generator renders in the same way; undefined if that isn't possible. */
export function postMarkdown({ text, isMarkdown, people, hasPlainSigns }: PostSource): string | undefined {
  const personUrl = (handle: string) => (Object.hasOwn(people, handle) ? people[handle] : undefined);
  const written = isMarkdown ? portableMarkdown(text, personUrl) : plainTextMarkdown(text, personUrl);
  return written !== undefined && hasPlainSigns ? withPlainSigns(written) : written;
}
