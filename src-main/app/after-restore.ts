import type { Post } from '../contract/posts.ts';
import { closed, Maybe } from '../contract/shapes.ts';
import type { PostLists } from '../posts/post-store.ts';
import { scheduleOf } from '../platform/retry-schedule.ts';
import type { WorkQueue } from '../storage/work/work.ts';

/** `after`: the cursor after which posts haven't been looked at; null at first. */
const Derivation = closed({ after: Maybe() });

/** How many posts are looked at in a turn. */
const postsAtOnce = 100;

/** The posts, and what is done for them. */
export interface Connected {
  readonly posts: Pick<PostLists, 'list'>;
  /** Queues what a post still lacks. */
  readonly derive: (posts: readonly Post[]) => Promise<void>;
}

/**
 * Queues what posts still lack after a restore, because no backup contains the queue of work. This is work itself, so it
 * continues after a kill.
 */
export function createAfterRestore(work: Pick<WorkQueue, 'defineWork'>, now: () => number) {
  let connected: Connected | undefined;
  const key = 'posts';
  const derivation = work.defineWork({
    kind: 'after-restore',
    payload: Derivation,
    retries: scheduleOf('publishing'),
    mayRun: () => connected !== undefined,
    async run({ payload: { after } }) {
      if (connected === undefined) return { kind: 'held' };
      const page = await connected.posts.list({ limit: postsAtOnce, ...(after !== null && { after }) });
      await connected.derive(page.items);
      if (page.after === undefined) return { kind: 'done' };
      return { kind: 'later', at: now(), payload: { after: page.after } };
    },
  });

  return {
    /** Records that the data was restored. Resolves once that is on disk. */
    begin: (): Promise<void> => derivation.add({ key, party: 'owner', host: key, payload: { after: null } }),
    /** Passes in the posts. Call it once, before the work is started. */
    connect: (posts: Connected): void => void (connected = posts),
  };
}
