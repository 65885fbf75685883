import type { MentionAuthor } from '../mention.ts';
import type { SourcePage } from './source/source-page.ts';
import type { AuthorQuestion, SourceQuestion, SourceReading } from './source/source-reading.ts';

/** Reads strangers' pages on a separate thread. Each method may throw the errors of ReadingPool.run. */
export interface PageReading {
  source(question: SourceQuestion): Promise<SourceReading>;
  /**
   * Reads the author's own page. `source`: the page that named the author. The reading time is charged to the site of
   * `source`.
   */
  author(question: AuthorQuestion, source: string): Promise<MentionAuthor | undefined>;
  /** Returns the webmention endpoint that a page declares; undefined if it declares none. */
  endpoint(page: Pick<SourcePage, 'url' | 'contentType' | 'body'>): Promise<string | undefined>;
}
