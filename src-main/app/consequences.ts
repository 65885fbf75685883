import type { SettingsPatch } from '../contract/settings.ts';
import type { ChangedFile, FollowFile } from '../media/part.ts';
import { isShown, type Mention } from '../mentions/mention.ts';
import type { FollowMention } from '../mentions/part.ts';
import type { Background, Log } from '../platform/log.ts';
import type { FollowPost } from '../posts/part.ts';
import type { ChangedPost } from '../posts/post-store.ts';
import { isOpen } from '../posts/visibility.ts';

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

/** Returns what follows a change to a post (see FollowPost). Nobody else is notified of an import. */
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
): FollowPost {
  return createSteps(log, ({ post }) => ({ path: post.path }), [
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

type FileStep = (file: ChangedFile) => unknown;

/**
 * Returns what follows the addition, the deletion or the conversion of a file (see FollowFile). After the conversion of
 * an older picture, the posts in the owner's folder stay as they are, because the owner may have edited them.
 */
export function afterFiles(
  log: Pick<Log, 'warn'>,
  to: Readonly<Record<'pages' | 'mailbox' | 'folder' | 'window', FileStep>>,
): FollowFile {
  return createSteps(log, ({ path }) => ({ path }), [
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

type MentionStep = (mention: Mention, on: Parameters<FollowMention>[0]) => unknown;

/** Returns what follows a mention (see FollowMention). */
export function afterMentions(
  log: Pick<Log, 'warn'>,
  to: Readonly<
    Record<'notifyOwner' | 'window' | 'folder' | 'upstream' | 'pictures' | 'mailbox', MentionStep>
  >,
): FollowMention {
  return createSteps(log, ({ id }) => ({ mention: id }), [
    { does: 'tell the owner about a mention', on: ['received'], run: to.notifyOwner },
    { does: 'update the windows', on: ['received', 'changed'], run: to.window },
    { does: 'update the mailbox', on: ['received', 'changed'], run: to.mailbox },
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
      | 'status'
      | 'mailboxPages'
      | 'tunnel'
      | 'weeklyBackup'
      | 'folder'
      | 'redirects'
      | 'mailboxSite'
      | 'sitePhoto',
      (patch: SettingsPatch) => unknown
    >
  >,
) {
  const steps: readonly {
    readonly does: string;
    /** The areas of settings that the step follows. */
    readonly on: readonly (keyof SettingsPatch)[];
    readonly run: (patch: SettingsPatch) => unknown;
  }[] = [
    {
      does: 'report the status',
      on: ['profile', 'webmention', 'tunnel', 'siteFolder'],
      run: to.status,
    },
    { does: 'renew the pages in the mailbox', on: ['profile', 'site', 'micropub'], run: to.mailboxPages },
    { does: 'start or stop the tunnel', on: ['tunnel', 'cloudflared'], run: to.tunnel },
    { does: 'make a weekly backup', on: ['backup'], run: to.weeklyBackup },
    { does: 'publish to the folder', on: ['siteFolder'], run: to.folder },
    {
      does: 'update the redirects in the folder',
      on: ['micropub'],
      run: (patch) => (patch.micropub?.syndicateTo === undefined ? undefined : to.redirects(patch)),
    },
    { does: 'move the site in the mailbox', on: ['siteFolder'], run: to.mailboxSite },
    {
      does: 'copy the photo of the site',
      on: ['site'],
      run: (patch) => (patch.site?.photo === undefined ? undefined : to.sitePhoto(patch)),
    },
  ];
  return (patch: SettingsPatch): void => {
    for (const { does, on, run } of steps) {
      if (!on.some((area) => patch[area] !== undefined)) continue;
      const step = new Promise((resolve) => {
        resolve(run(patch));
      });
      background(step, `Porchlight could not ${does}`);
    }
  };
}
