import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Post } from '../../contract/posts.ts';
import type { Html } from '../../http/html.ts';
import { postUrl } from '../address.ts';
import { categoriesOf, type CitedPage, nobody, type PersonFinder } from '../links.ts';
import { plainCitations, responseMarkup, type CitedLookup } from './citation.ts';
import { contentLine, richText, type RichText } from './rich-text.ts';
import { asText, propertyText, propertyValues } from '../values.ts';
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
  /** See categoriesOf. */
  readonly categories: readonly string[];
  /** The URLs of the people whom the text mentions, by handle; null for a handle that nobody is known to have. */
  readonly people: readonly (readonly [handle: string, url: string | null])[];
}

/** The parts of a post from which its content is made. */
export type PostInWords = Pick<Post, 'path' | 'home' | 'properties' | 'markdown'>;

/** The data from which a post's content is made, in addition to the post itself. */
export interface Surroundings {
  /** Returns the website of a person whom a post mentions. */
  readonly personUrl?: PersonFinder;
  /** Returns the title, author and text that Porchlight stored for a cited page. */
  readonly cited?: (url: string) => Promise<CitedPage | undefined>;
}

/** What a content depends on besides the post. `cited`: see Surroundings. */
interface Around {
  readonly personUrl?: PersonFinder;
  readonly cited?: CitedLookup;
}

/** Returns a post's content as the site at `base` shows it. */
export function shownContent(
  post: PostInWords,
  base: string,
  { personUrl = nobody, cited }: Around = {},
): Content {
  const { properties } = post;
  const value = propertyValues(properties, 'content')[0];
  const people = new Map<string, string | null>();
  const find: PersonFinder = (handle) => {
    const url = personUrl(handle);
    people.set(handle, url ?? null);
    return url;
  };
  return {
    ...wordsOf(properties, contentLine(value)),
    rich: richText(value, base, find, postUrl(base, post)),
    responses: responseMarkup(properties, base, cited),
    categories: categoriesOf(post),
    people: [...people],
  };
}

/** Returns the content of a post that exceeds the limits of the threads: only the beginning of its text. */
export function shownBeginning({ properties }: PostInWords, base: string): Content {
  const beginning = contentLine(propertyValues(properties, 'content')[0]);
  return {
    ...wordsOf(properties, beginning),
    rich: richText(beginning, base),
    responses: [],
    categories: propertyValues(properties, 'category').flatMap((value) => asText(value) ?? []),
    people: [],
  };
}

const wordsOf = (properties: Post['properties'], text: string) => ({
  text,
  words: text || (propertyText(properties, 'summary') ?? ''),
});

/** Makes the content of a post (see shownContent); that of a long post in a thread. */
export type ShowContent = (post: PostInWords, base: string, around: Around) => Content | Promise<Content>;

/**
 * Creates a cache of the contents of the most recently requested posts, with the result of `make` for the newest version of
 * each. `most`: the maximum size of the cache, in characters.
 *
 * Returns a function that returns the content of each post, keyed by the post's path. Creating a post's content may block
 * the event loop, so this function lets other work run after each post. It throws RetryLater if a post is long, and no
 * thread can read it now.
 */
export function createContents({
  most,
  personUrl = nobody,
  cited = () => Promise.resolve(undefined),
  make = shownContent,
}: Surroundings & {
  readonly most: number;
  readonly make?: ShowContent;
}) {
  const kept = createRecent<{ readonly version: string; readonly content: Content }>(most);
  const beingMade = new Map<string, Promise<Content>>();

  const isCurrent = ({ people }: Content) =>
    people.every(([handle, url]) => (personUrl(handle) ?? null) === url);

  async function contentOf(post: Post, base: string): Promise<Content> {
    const urls = plainCitations(post.properties, base);
    const pages = new Map(await Promise.all(urls.map(async (url) => [url, await cited(url)] as const)));
    const isMarkdown = post.markdown !== undefined;
    const version = versionOf([postUrl(base, post), base, post.properties, isMarkdown, [...pages.values()]]);
    const known = kept.get(post.path);
    if (known?.version === version && isCurrent(known.content)) return known.content;
    const made =
      beingMade.get(version) ??
      Promise.resolve(make(post, base, { personUrl, cited: (url) => pages.get(url) }));
    beingMade.set(version, made);
    try {
      const content = await made;
      kept.set(post.path, { version, content }, sizeOf(content));
      await setImmediate();
      return content;
    } finally {
      beingMade.delete(version);
    }
  }

  return async (posts: readonly Post[], base: string): Promise<ReadonlyMap<string, Content>> => {
    const found = new Map<string, Content>();
    for (const post of posts) found.set(post.path, await contentOf(post, base));
    return found;
  };
}

/**
 * Returns a hash of all the data from which a post's content is made. A timestamp isn't enough, because a post can
 * change twice within a millisecond.
 */
const versionOf = (parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');

/** Returns the approximate memory use of a post's content, in characters. */
function sizeOf({ rich = [], text, responses, categories }: Content): number {
  const parts = rich.map((part) =>
    typeof part === 'string' ? part.length : 200 + part.url.length + part.alt.length,
  );
  const cited = responses.map(({ markup }) => markup.length);
  const names = categories.map((name) => name.length);
  return [...parts, ...cited, ...names].reduce((sum, length) => sum + length, 500 + text.length);
}
