import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Post } from '../contract/posts.ts';
import type { Html } from '../http/html.ts';
import { responseMarkup } from './citation.ts';
import { richText, type RichText } from './rich-text.ts';
import { handlesIn, nobody, type PersonFinder } from '../post/inline-links.ts';
import { propertyText, propertyValues } from '../post/values.ts';
import { createRecent } from '../storage/recent.ts';
import { contentLine } from './words.ts';

/** The parts of a post's page that are expensive to make, because they have to be parsed. */
export interface Content {
  /** The post's content; undefined if it has none. */
  readonly rich: RichText | undefined;
  /** The content's text on one line; only the beginning if the content is very long. */
  readonly text: string;
  /** The text that identifies the post: its content, or else its summary. */
  readonly words: string;
  /** The pages that the post responds to. */
  readonly responses: readonly Html[];
}

/** Makes the content of a post, for the site at `base`. */
export function shownContent({ properties }: Post, base: string, personUrl = nobody): Content {
  const value = propertyValues(properties, 'content')[0];
  const text = contentLine(value);
  return {
    rich: richText(value, base, personUrl),
    text,
    words: text || (propertyText(properties, 'summary') ?? ''),
    responses: responseMarkup(properties, base),
  };
}

/** A cache of the contents of the most recently requested posts. */
export interface Contents {
  /**
   * Returns the contents of posts by path. Making one is synchronous, so the event loop runs other work between two.
   */
  of(posts: readonly Post[], base: string): Promise<ReadonlyMap<string, Content>>;
}

/** Caches what `make` returns for the newest version of each post, up to a total of `most` characters. */
export function createContents({
  most,
  personUrl = nobody,
  make = shownContent,
}: {
  readonly most: number;
  /** Finds the people whom posts mention. A content is made again when the result for one of them changes. */
  readonly personUrl?: PersonFinder;
  readonly make?: typeof shownContent;
}): Contents {
  const kept = createRecent<{ readonly version: string; readonly content: Content }>(most);

  return {
    async of(posts, base) {
      const found = new Map<string, Content>();
      for (const post of posts) {
        const version = versionOf(post, base, personUrl);
        const known = kept.get(post.path);
        if (known?.version === version) {
          found.set(post.path, known.content);
          continue;
        }
        const content = make(post, base, personUrl);
        kept.set(post.path, { version, content }, sizeOf(content));
        found.set(post.path, content);
        await setImmediate();
      }
      return found;
    },
  };
}

/** Identifies what a content is made from. Times don't: a post may change twice within a millisecond. */
const versionOf = ({ properties }: Post, base: string, personUrl: PersonFinder) =>
  createHash('sha256')
    .update(JSON.stringify([base, properties, handlesIn(properties).map(personUrl)]))
    .digest('base64');

/** Returns the approximate memory use of a post's content, in characters. */
function sizeOf({ rich = [], text, responses }: Content): number {
  const parts = rich.map((part) =>
    typeof part === 'string' ? part.length : 200 + part.url.length + part.alt.length,
  );
  const cited = responses.map(({ markup }) => markup.length);
  return [...parts, ...cited].reduce((sum, length) => sum + length, 500 + text.length);
}
