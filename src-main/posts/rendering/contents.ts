import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Post } from '../../contract/posts.ts';
import type { Html } from '../../http/html.ts';
import { postUrl } from '../address.ts';
import { type CitedPage, handlesIn, nobody, type PersonFinder } from '../links.ts';
import { plainCitations, responseMarkup, type CitedLookup } from './citation.ts';
import { contentLine, richText, type RichText } from './rich-text.ts';
import { propertyText, propertyValues } from '../values.ts';
import { createRecent } from '../../storage/caches.ts';

/** The parts of a post's page that take a long time to produce, because the post's text has to be parsed. */
export interface Content {
  /** The post's content; undefined if the post has none. */
  readonly rich: RichText | undefined;
  /** The content as text on one line; only the beginning if the content is very long. */
  readonly text: string;
  /** The text that describes the post: its content, or else its summary. */
  readonly words: string;
  /** The pages that the post responds to. */
  readonly responses: readonly Html[];
}

/** The data from which a post's content is made, in addition to the post itself. */
export interface Surroundings {
  /** Returns the website of a person whom a post mentions. */
  readonly personUrl?: PersonFinder;
  /** Returns the title, author and text that Porchlight stored for a cited page. */
  readonly cited?: (url: string) => Promise<CitedPage | undefined>;
}

/** Returns a post's content as the site at `base` shows it. */
export function shownContent(
  post: Post,
  base: string,
  { personUrl = nobody, cited }: { personUrl?: PersonFinder; cited?: CitedLookup } = {},
): Content {
  const { properties } = post;
  const value = propertyValues(properties, 'content')[0];
  const text = contentLine(value);
  return {
    rich: richText(value, base, personUrl, postUrl(base, post)),
    text,
    words: text || (propertyText(properties, 'summary') ?? ''),
    responses: responseMarkup(properties, base, cited),
  };
}

/** A cache of the contents of the most recently requested posts. */
export interface Contents {
  /**
   * Returns the content of each post, keyed by the post's path. Creating a post's content blocks the event loop, so
   * this method lets other work run after each post.
   */
  of(posts: readonly Post[], base: string): Promise<ReadonlyMap<string, Content>>;
}

/**
 * Creates a cache with the result of `make` for the newest version of each post. `most`: the maximum size of the cache,
 * in characters.
 */
export function createContents({
  most,
  personUrl = nobody,
  cited = () => Promise.resolve(undefined),
  make = shownContent,
}: Surroundings & {
  readonly most: number;
  readonly make?: typeof shownContent;
}): Contents {
  const kept = createRecent<{ readonly version: string; readonly content: Content }>(most);

  return {
    async of(posts, base) {
      const found = new Map<string, Content>();
      for (const post of posts) {
        const urls = plainCitations(post.properties, base);
        const pages = new Map(await Promise.all(urls.map(async (url) => [url, await cited(url)] as const)));
        const people = handlesIn(post.properties).map(personUrl);
        const version = versionOf([postUrl(base, post), base, post.properties, people, [...pages.values()]]);
        const known = kept.get(post.path);
        if (known?.version === version) {
          found.set(post.path, known.content);
          continue;
        }
        const content = make(post, base, { personUrl, cited: (url) => pages.get(url) });
        kept.set(post.path, { version, content }, sizeOf(content));
        found.set(post.path, content);
        await setImmediate();
      }
      return found;
    },
  };
}

/**
 * Returns a hash of all the data from which a post's content is made. A timestamp isn't enough, because a post can
 * change twice within a millisecond.
 */
const versionOf = (parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');

/** Returns the approximate memory use of a post's content, in characters. */
function sizeOf({ rich = [], text, responses }: Content): number {
  const parts = rich.map((part) =>
    typeof part === 'string' ? part.length : 200 + part.url.length + part.alt.length,
  );
  const cited = responses.map(({ markup }) => markup.length);
  return [...parts, ...cited].reduce((sum, length) => sum + length, 500 + text.length);
}
