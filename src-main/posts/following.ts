import { Type } from 'typebox';
import type { Post } from '../contract/posts.ts';
import { closed, orNull } from '../contract/shapes.ts';
import { scheduleOf } from '../platform/retry-schedule.ts';
import type { Records } from '../storage/records/records.ts';
import type { WorkQueue } from '../storage/work/work.ts';
import { postUrl } from './address.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import { versionOf } from './post-content.ts';
import type { ChangedPost, Within } from './post-store.ts';

interface FollowingDeps {
  readonly posts: OwnerPostStore;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly records: Pick<Records, 'write'>;
  readonly base: () => string;
  readonly now: () => number;
  /** Does everything that follows a change to a post. Never rejects. */
  readonly follow: (change: ChangedPost) => Promise<void>;
}

/** `version`: the version of the post before the change (see versionOf); null for a new post. */
const Intention = closed({ version: orNull(Type.String()) });

/** If this process goes on, it follows the change itself, long before this time has passed, in ms: a minute. */
const laterMs = 60_000;

/**
 * Makes sure that what follows a change to a post is done, also if the process is killed after the post is on disk. The
 * transaction of each change of the returned `posts` has the intention to follow it as work. The caller must pass each
 * change to the returned `followed`, which ends the intention. If nobody does, the work follows the change after the next
 * start.
 */
export function createFollowing(deps: FollowingDeps) {
  const { posts, base, now, follow } = deps;
  /** How many changes of a post are being made or followed in this process, by path. */
  const underWay = new Map<string, number>();

  const intentions = deps.work.defineWork({
    kind: 'follow-post',
    payload: Intention,
    retries: scheduleOf('publishing'),
    total: 4,
    mayRun: ({ key }) => !underWay.has(key),
    async run({ key, payload: { version } }) {
      const post = await posts.get((await posts.movedTo(key)) ?? key);
      if (post !== undefined && versionOf(post) !== version) await follow(await changeOf(post, version));
      return { kind: 'done' };
    },
  });

  async function changeOf(post: Post, version: string | null): Promise<ChangedPost> {
    const url = postUrl(base(), post);
    if (version === null) return { post, change: 'created', url };
    if (post.deletedAt !== null)
      return { post, change: 'deleted', before: { ...post, deletedAt: null }, url };
    const [earlier] = await posts.history(post.path);
    return { post, change: 'updated', ...(earlier && { before: { ...post, ...earlier.content } }), url };
  }

  /** Ends the intention, unless another change of the same post is under way. */
  function end(path: string): void {
    const others = (underWay.get(path) ?? 1) - 1;
    if (others > 0) {
      underWay.set(path, others);
      return;
    }
    underWay.delete(path);
    if (intentions.entry(path) === undefined) return;
    // If this is never written, the change is followed once more after the next start, which does no harm. So it may
    // share the transaction of the next change, which often is that of the next post.
    deps.records
      .write((transaction) => intentions.cancelIn(transaction, path), { mayWait: true })
      .catch(() => undefined);
  }

  const begin = (path: string): void => void underWay.set(path, (underWay.get(path) ?? 0) + 1);

  const intend: Within = (transaction, { path, before }) =>
    // The oldest version counts, because nobody has followed the changes since then.
    intentions.addMissingIn(transaction, {
      key: path,
      party: '',
      host: path,
      payload: { version: before ? versionOf(before) : null },
      due: now() + laterMs,
    });

  /** Makes a change, and stores with it the intention to follow it. */
  async function noted(change: (within: Within) => Promise<Post>, more?: Within): Promise<Post> {
    let at: string | undefined;
    try {
      return await change((transaction, about) => {
        more?.(transaction, about);
        if (at !== about.path) {
          if (at !== undefined) end(at);
          begin(about.path);
          at = about.path;
        }
        intend(transaction, about);
      });
    } catch (error) {
      if (at !== undefined) end(at);
      throw error;
    }
  }

  const followedPosts: OwnerPostStore = {
    ...posts,
    create: (content, options) =>
      noted((within) => posts.create(content, { ...options, within }), options.within),
    change: (path, edit, options) =>
      noted((within) => posts.change(path, edit, { ...options, within }), options.within),
    restoreVersion: (path, id, options) =>
      noted((within) => posts.restoreVersion(path, id, { ...options, within }), options.within),
    setDeleted: (path, deleted, at, more) =>
      noted((within) => posts.setDeleted(path, deleted, at, within), more),
  };

  return {
    /** The posts, for callers that pass each change to `followed`. */
    posts: followedPosts,
    /** Stores the intention to follow a change in its transaction. For changes that are not made by `posts`. */
    intend,

    /** Does everything that follows a change, and ends the intention. Never rejects. */
    followed: async (change: ChangedPost): Promise<void> => {
      await follow(change);
      // The key is the path that the post had before.
      end(change.before?.path ?? change.post.path);
    },
  };
}
