import type { Post } from '../contract/posts.ts';
import { isReadable } from './visibility.ts';

/**
 * Where posts go to be read. The built-in site is one; further ones come later (one that writes files for a static
 * host, say). A publisher is told only of posts that the public may read; what stops being readable is removed.
 */
export interface Publisher {
  /** For messages to the owner. */
  readonly name: string;
  /** The post is new, or it changed. Publishing it twice is publishing it once. */
  publish(post: Post): Promise<void>;
  /** The post, as it last was, is not to be read any more at its path. */
  remove(post: Post): Promise<void>;
}

/** A post that changed: as it is, as it was (absent where it is new), and the time in ms. */
export interface Change {
  readonly post: Post;
  readonly before?: Post | undefined;
  readonly now: number;
}

/**
 * Tells every publisher what a change of a post means for the public. One that fails does not stop the others.
 * @throws AggregateError where some failed, once all are done.
 */
export async function tellPublishers(
  publishers: readonly Publisher[],
  { post, before, now }: Change,
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
