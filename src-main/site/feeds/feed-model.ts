import type { Author } from '../../posts/rendering/author.ts';
import type { FeedDate } from './feed-date.ts';

/** A post as feeds show it. Its strings contain no characters that XML can't represent. */
export interface FeedItem {
  readonly url: string;
  /** The title as plain text. If a post has no title, this title is made from the post's text. */
  readonly title: string;
  readonly hasOwnTitle: boolean;
  readonly summary: string | undefined;
  /** The content as HTML. All of its URLs are absolute. */
  readonly content: string;
  readonly published: FeedDate;
  readonly updated: FeedDate;
  readonly categories: readonly string[];
  readonly enclosure: { readonly url: string; readonly type: string; readonly bytes: number } | undefined;
}

/** A page of a feed (RFC 5005). All URLs are absolute. */
export interface Feed {
  readonly title: string;
  /** The URL of the HTML page that shows the same posts. This URL also identifies the feed. */
  readonly page: string;
  readonly self: string;
  readonly first: string;
  /** The URL of the next older page of the feed. */
  readonly next: string | undefined;
  /** The URL of the WebSub hub; absent on all pages except the first, because only the first page is a WebSub topic. */
  readonly hub: string | undefined;
  readonly author: Author;
  /**
   * The time of the most recent change to an item, in ms; 0 for an empty feed. If an empty feed used the current time
   * instead, its text would change on every request.
   */
  readonly updated: number;
  readonly items: readonly FeedItem[];
}
