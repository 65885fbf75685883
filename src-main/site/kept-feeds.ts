import type { Post } from '../contract/posts.ts';
import { taggedText, type TaggedText } from './answer.ts';
import type { EntryView } from './entry.ts';
import { feedText, type FeedFormat } from './feeds.ts';

/** The last version of a feed. */
interface Kept {
  readonly version: string;
  readonly text: TaggedText;
}

export interface KeptFeeds {
  /** Returns the posts as a feed, which is generated again only if something in it changed. */
  text(
    format: FeedFormat,
    posts: readonly Post[],
    view: EntryView & { readonly mediaVersion: string },
  ): TaggedText;
  drop(): void;
}

/** Caches the latest text of each feed format if it has at most `most` bytes, because feed readers poll all day. */
export function keptFeeds({
  most,
  write = feedText,
}: {
  readonly most: number;
  readonly write?: typeof feedText;
}): KeptFeeds {
  const kept = new Map<FeedFormat, Kept>();
  return {
    text(format, posts, view) {
      const version = JSON.stringify([
        view.base,
        view.author,
        view.mediaVersion,
        posts.map(({ path, updatedAt }) => [path, updatedAt]),
      ]);
      const known = kept.get(format);
      if (known?.version === version) return known.text;
      const text = taggedText(write(format, posts, view));
      if (text.body.length <= most) kept.set(format, { version, text });
      else kept.delete(format);
      return text;
    },
    drop: () => kept.clear(),
  };
}
