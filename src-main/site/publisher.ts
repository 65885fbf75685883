import type { Post } from '../contract/posts.ts';
import { isReadable } from '../post/visibility.ts';

/**
 * A publisher makes posts available to the public. The built-in site is one; others may follow, such as one that writes
 * files for a static host. A publisher hears only of posts that the public may read, and removes posts that become
 * unreadable.
 */
export interface Publisher {
  /** The name in messages to the owner. */
  readonly name: string;
  /** Publishes a new or changed post. Publishing twice has the same effect as once. */
  publish(post: Post): Promise<void>;
  /** Removes a post from its path. `post`: its last public version. */
  remove(post: Post): Promise<void>;
}

/** A changed post: its current version, its previous version (absent if it is new), and the time in ms. */
export interface PublishedChange {
  readonly post: Post;
  readonly before?: Post | undefined;
  readonly now: number;
}

/**
 * Tells every publisher to publish a changed post, or to remove it, depending on what the public may now read. A
 * failure does not stop the other publishers.
 * @throws AggregateError if any publisher failed, after all have finished.
 */
export async function tellPublishers(
  publishers: readonly Publisher[],
  { post, before, now }: PublishedChange,
): Promise<void> {
  const readable = isReadable(post, now);
  const gone =
    before && isReadable(before, now) && (!readable || before.path !== post.path) ? before : undefined;
  const told = await Promise.allSettled(
    publishers.map(async (publisher) => {
      if (gone) await publisher.remove(gone);
      if (readable) await publisher.publish(post);
    }),
  );
  const failed = publishers.filter((_, index) => told[index]?.status === 'rejected');
  if (failed.length === 0) return;
  const reasons = told.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  throw new AggregateError(reasons, `Not everywhere: ${failed.map(({ name }) => name).join(', ')}`);
}
