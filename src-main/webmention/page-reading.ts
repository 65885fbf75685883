import type { MentionAuthor } from '../mentions/mention.ts';
import type { SourcePage } from './source/source-page.ts';
import type { AuthorQuestion, SourceQuestion, SourceReading } from './source/source-reading.ts';

/** Reads pages of strangers on a thread that is not the server's. Each may throw what ReadingPool.run throws. */
export interface PageReading {
  source(question: SourceQuestion): Promise<SourceReading>;
  /** `source`: the page that named the author, and answers for what reading costs. */
  author(question: AuthorQuestion, source: string): Promise<MentionAuthor | undefined>;
  /** The webmention endpoint that a page names; undefined where it names none. */
  endpoint(page: Pick<SourcePage, 'url' | 'contentType' | 'body'>): Promise<string | undefined>;
}
