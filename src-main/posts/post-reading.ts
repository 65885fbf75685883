import type { PersonFinder } from './links.ts';
import type { PostInWords, ShowContent } from './rendering/contents.ts';

/**
 * Reads the text of posts. Reads a long post in a thread, because an app can write HTML that takes seconds to clean. Both
 * functions throw RetryLater if no thread can read the post now.
 */
export interface PostReading {
  /** Returns what pages show of a post: if it exceeds the limits of the threads, only the beginning of its text. */
  readonly content: ShowContent;
  /** Returns the pages to notify of a post (see linksOfPost): none if the post exceeds the limits of the threads. */
  readonly links: (
    post: PostInWords,
    base: string,
    personUrl?: PersonFinder,
  ) => readonly string[] | Promise<readonly string[]>;
}

/**
 * Converts Markdown to HTML, as `markdownHtml` does. Converts long Markdown on another thread, because hostile Markdown
 * of 100 KB takes up to a second. `name`: what the text is, for the message of an error.
 * @throws PorchlightError if the text exceeds the limits (see overLimit); RetryLater if no thread can convert it now
 */
export type RenderMarkdown = (text: string, name: string, personUrl?: PersonFinder) => Promise<string>;
