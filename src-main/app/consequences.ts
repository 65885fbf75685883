import { Type } from 'typebox';
import type { MediaChange } from '../contract/media.ts';
import type { Post } from '../contract/posts.ts';
import type { SettingsPatch } from '../contract/settings.ts';
import { closed, orNull } from '../contract/shapes.ts';
import { isShown, type Mention } from '../mentions/mention.ts';
import type { MentionSteps } from '../mentions/part.ts';
import type { Background, Log } from '../platform/log.ts';
import { scheduleOf } from '../platform/retry-schedule.ts';
import { postUrl } from '../posts/address.ts';
import type { ChangedPost } from '../posts/post-store.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { versionOf } from '../posts/owner.ts';
import { isOpen } from '../posts/visibility.ts';
import type { WorkQueue } from '../storage/work/work.ts';

/**
 * What follows a change to a post, a file, a mention or a setting: one list each. The change itself is on disk already,
 * so a step that fails is logged, and the other steps are done all the same.
 */

interface Step<Change, On extends string> {
  /** What the step does. In the log, it completes “Porchlight could not …”. */
  readonly does: string;
  /** The kinds of changes that the step follows. */
  readonly on: readonly On[];
  /**
   * Absent: the step begins at once. `last`: it begins when the steps before it have ended. Otherwise the name of an
   * earlier step: it begins when that one has succeeded.
   */
  readonly after?: string;
  readonly run: (change: Change, on: On) => unknown;
}

/** Returns a function that does the steps that follow a change. `about`: what the log says about it. Never rejects. */
function createSteps<On extends string, Change>(
  log: Pick<Log, 'warn'>,
  about: (change: Change) => object,
  steps: readonly Step<Change, On>[],
) {
  return async (on: On, change: Change): Promise<void> => {
    const begun = new Map<string, Promise<unknown>>();
    for (const { does, after, run } of steps.filter((step) => step.on.includes(on))) {
      if (after === 'last') await Promise.allSettled(begun.values());
      const earlier = after === undefined ? undefined : begun.get(after);
      const step = earlier
        ? earlier.then(() => run(change, on))
        : new Promise((resolve) => {
            resolve(run(change, on));
          });
      step.catch((error: unknown) =>
        log.warn({ err: error, ...about(change) }, `Porchlight could not ${does}`),
      );
      begun.set(does, step);
    }
    await Promise.allSettled(begun.values());
  };
}

type PostStep = (change: ChangedPost) => unknown;

/**
 * Returns what follows a change to a post. `changed`: by the owner or an app. `imported`: by an import, or because the
 * URL of a copy was stored; nobody else is notified. `live` and `quietlyLive`: the post's page is live on the owner's
 * own site, for the first time or again.
 */
export function afterPosts(
  log: Pick<Log, 'warn'>,
  to: Readonly<
    Record<
      'copyFiles' | 'readCited' | 'prepare' | 'folder' | 'mentions' | 'mailbox' | 'websub' | 'window',
      PostStep
    >
  > & {
    /** Returns whether the post at a path waits until its page is live. */
    readonly isWaiting: (path: string) => boolean;
  },
) {
  type On = 'changed' | 'imported' | 'copied' | 'live' | 'quietlyLive';
  return createSteps<On, ChangedPost>(log, ({ post }) => ({ path: post.path }), [
    {
      does: 'copy the files that a post shows',
      on: ['changed', 'imported', 'copied'],
      run: (change) => (change.post.deletedAt === null ? to.copyFiles(change) : undefined),
    },
    {
      does: 'read the pages that a post cites',
      on: ['changed'],
      run: (change) => (isOpen(change.post) ? to.readCited(change) : undefined),
    },
    { does: 'prepare the page of a post', on: ['changed'], run: to.prepare },
    { does: 'publish a post to the folder', on: ['changed', 'imported', 'copied'], run: to.folder },
    {
      does: 'notify the pages that a post links to',
      on: ['changed'],
      // Webmentions wait until the post is live on the owner's own site.
      after: 'publish a post to the folder',
      run: to.mentions,
    },
    {
      does: 'update the mailbox',
      on: ['changed', 'imported', 'copied', 'live', 'quietlyLive'],
      run: to.mailbox,
    },
    {
      does: 'notify the subscribers of the feeds',
      on: ['changed', 'live'],
      after: 'last',
      run: (change, on) =>
        on === 'changed' && to.isWaiting(change.post.path) ? undefined : to.websub(change),
    },
    {
      does: 'update the windows',
      on: ['changed', 'copied', 'live', 'quietlyLive'],
      after: 'last',
      run: to.window,
    },
  ]);
}

/** A change to a file. `versions`: the paths of a picture's versions. */
export interface ChangedFile {
  readonly path: string;
  readonly change: MediaChange['change'];
  readonly versions?: readonly string[];
}
type FileStep = (file: ChangedFile) => unknown;

/**
 * Returns what follows the addition, the deletion or the conversion of a file. `newlyConverted`: of a picture that was
 * added after this start. Files of older posts in the owner's folder stay as they are, because the owner may have edited
 * them.
 */
export function afterFiles(
  log: Pick<Log, 'warn'>,
  to: Readonly<Record<'pages' | 'mailbox' | 'folder' | 'window', FileStep>>,
) {
  type On = MediaChange['change'] | 'newlyConverted';
  return createSteps<On, ChangedFile>(log, ({ path }) => ({ path }), [
    { does: 'renew the pages with a picture', on: ['converted', 'newlyConverted'], run: to.pages },
    { does: 'remove a file from the mailbox', on: ['deleted'], run: to.mailbox },
    { does: 'update the folder', on: ['deleted', 'newlyConverted'], run: to.folder },
    {
      does: 'update the windows',
      on: ['added', 'deleted', 'converted', 'newlyConverted'],
      after: 'last',
      run: to.window,
    },
  ]);
}

/**
 * Returns what follows a mention. `received`: it is new. `changed`: its source or the owner's decision changed.
 * `imported`: it comes from an export of Porchlight; nobody is notified.
 */
export function afterMentions(log: Pick<Log, 'warn'>, to: MentionSteps) {
  type On = 'received' | 'changed' | 'imported';
  return createSteps<On, Mention>(log, ({ id }) => ({ mention: id }), [
    { does: 'tell the owner about a mention', on: ['received'], run: to.notifyOwner },
    { does: 'update the windows', on: ['received', 'changed'], run: to.window },
    { does: 'write a mention to the folder', on: ['received', 'changed'], run: to.folder },
    {
      does: 'notify the pages that a post with a new response links to',
      on: ['received', 'changed'],
      run: to.upstream,
    },
    {
      does: 'fetch the pictures of a mention',
      on: ['received', 'changed', 'imported'],
      run: (mention, on) => (on !== 'imported' || isShown(mention) ? to.pictures(mention, on) : undefined),
    },
  ]);
}

/** Returns a function that does what follows a change to the settings. It doesn't wait for the steps. */
export function afterSettings(
  background: Background,
  to: Readonly<
    Record<
      'status' | 'mailboxPages' | 'tunnel' | 'weeklyBackup' | 'folder' | 'mailboxSite' | 'sitePhoto',
      (patch: SettingsPatch) => unknown
    >
  >,
) {
  const steps: readonly {
    readonly does: string;
    /** The areas of settings that the step follows. */
    readonly on: 'all' | readonly (keyof SettingsPatch)[];
    readonly run: (patch: SettingsPatch) => unknown;
  }[] = [
    { does: 'report the status', on: 'all', run: to.status },
    { does: 'renew the pages in the mailbox', on: ['profile', 'site'], run: to.mailboxPages },
    { does: 'start or stop the tunnel', on: 'all', run: to.tunnel },
    { does: 'make a weekly backup', on: ['backup'], run: to.weeklyBackup },
    { does: 'publish to the folder', on: ['siteFolder'], run: to.folder },
    { does: 'move the site in the mailbox', on: ['siteFolder'], run: to.mailboxSite },
    {
      does: 'copy the photo of the site',
      on: ['site'],
      run: (patch) => (patch.site?.photo === undefined ? undefined : to.sitePhoto(patch)),
    },
  ];
  return (patch: SettingsPatch): void => {
    for (const { does, on, run } of steps) {
      if (on !== 'all' && !on.some((area) => patch[area] !== undefined)) continue;
      const step = new Promise((resolve) => {
        resolve(run(patch));
      });
      background(step, `Porchlight could not ${does}`);
    }
  };
}

interface FollowingDeps<Posts> {
  readonly posts: Posts;
  readonly work: Pick<WorkQueue, 'defineWork'>;
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
 * Makes sure that what follows a change to a post is done, also if the process is killed after the post is on disk.
 * Each change of the returned `posts` first stores the intention to follow it as work, then the post. The caller must
 * pass each change to the returned `followed`, which ends the intention. If nobody does, the work follows the change
 * after the next start. If the post is as it was before, the change never came, and nothing follows.
 */
export function createFollowing<Posts extends OwnerPostStore>(deps: FollowingDeps<Posts>) {
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

  async function begin(path: string, version: string | null): Promise<void> {
    underWay.set(path, (underWay.get(path) ?? 0) + 1);
    try {
      await intentions.add({
        key: path,
        party: '',
        host: path,
        payload: { version },
        due: now() + laterMs,
        // The oldest version counts, because nobody has followed the changes since then.
        keeps: true,
      });
    } catch (error) {
      end(path);
      throw error;
    }
  }

  /** Ends the intention, unless another change of the same post is under way. */
  function end(path: string): void {
    const others = (underWay.get(path) ?? 1) - 1;
    if (others > 0) {
      underWay.set(path, others);
      return;
    }
    underWay.delete(path);
    // If that can't be written, the change is followed once more after the next start, which does no harm.
    if (intentions.entry(path)) intentions.cancel(path).catch(() => undefined);
  }

  /**
   * Makes a change of an existing post. `mayFail`: whether the change is made even if the intention can't be stored, as
   * on a full disk.
   */
  async function noted(path: string, change: () => Promise<Post>, mayFail = false): Promise<Post> {
    const at = (await posts.movedTo(path)) ?? path;
    const before = await posts.get(at);
    const isNoted = await begin(at, before ? versionOf(before) : null).then(
      () => true,
      (error: unknown) => {
        // The store says why a deleted post can't be changed.
        if (!mayFail && before?.deletedAt === null) throw error;
        return false;
      },
    );
    try {
      return await change();
    } catch (error) {
      if (isNoted) end(at);
      throw error;
    }
  }

  const followedPosts: Posts = {
    ...posts,
    async create(content, options) {
      let at: string | undefined;
      try {
        return await posts.create(content, {
          ...options,
          async placing(path) {
            await options.placing?.(path);
            if (at !== undefined) end(at);
            await begin(path, null);
            at = path;
          },
        });
      } catch (error) {
        if (at !== undefined) end(at);
        throw error;
      }
    },
    change: (path, edit, options) =>
      options.isOwn === true
        ? posts.change(path, edit, options)
        : noted(path, () => posts.change(path, edit, options)),
    restoreVersion: (path, id, options) => noted(path, () => posts.restoreVersion(path, id, options)),
    // A deletion takes effect in memory even if the disk is full, and can be undone there.
    setDeleted: (path, deleted, at) => noted(path, () => posts.setDeleted(path, deleted, at), true),
  };

  return {
    /** The posts, for callers that pass each change to `followed`. */
    posts: followedPosts,

    /** Does everything that follows a change, and ends the intention. Never rejects. */
    followed: async (change: ChangedPost): Promise<void> => {
      await follow(change);
      // The key is the path that the post had before.
      end(change.before?.path ?? change.post.path);
    },
  };
}
