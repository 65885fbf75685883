import type { Author } from '../author.ts';
import type { FeedDate } from './feed-date.ts';

/** A post as feeds show it. Its texts contain no characters that XML can't represent. */
export interface FeedItem {
  readonly url: string;
  /** Plain text. Posts without a name of their own have one that is made from their words. */
  readonly title: string;
  readonly hasOwnTitle: boolean;
  readonly summary: string | undefined;
  /** HTML. All of its URLs are absolute. */
  readonly content: string;
  readonly published: FeedDate;
  readonly updated: FeedDate;
  readonly categories: readonly string[];
  readonly enclosure: { readonly url: string; readonly type: string; readonly bytes: number } | undefined;
}

/** A page of a feed (RFC 5005). All URLs are absolute. */
export interface Feed {
  readonly title: string;
  /** The page with the same posts. It also identifies the feed. */
  readonly page: string;
  readonly self: string;
  readonly first: string;
  /** The next older page of the feed. */
  readonly next: string | undefined;
  /** The WebSub hub; absent on all pages but the first, because only the first is a topic. */
  readonly hub: string | undefined;
  readonly author: Author;
  /** When an item last changed, in ms. The epoch for an empty feed, so that its text stays the same. */
  readonly updated: number;
  readonly items: readonly FeedItem[];
}
