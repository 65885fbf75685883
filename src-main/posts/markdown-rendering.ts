import type { PersonFinder } from './links.ts';

/**
 * Converts Markdown to HTML, as `markdownHtml` does. Converts long Markdown on another thread, because hostile Markdown
 * of 100 KB takes up to a second. `name`: what the text is, for the message of an error.
 * @throws PorchlightError if the text exceeds the limits (see overLimit); RetryLater if no thread can convert it now
 */
export type RenderMarkdown = (text: string, name: string, personUrl?: PersonFinder) => Promise<string>;
