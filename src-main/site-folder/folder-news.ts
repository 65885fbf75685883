import { isDeepStrictEqual } from 'node:util';
import type { SiteFolderStatus } from '../contract/site-folder.ts';
import type { Problem } from '../contract/status.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import type { LastChange } from './owner.ts';
import { coalesced } from '../storage/pacing.ts';
import type { Common } from '../http/common.ts';

type FolderNewsDeps = Pick<Common, 'hub' | 'activity' | 'clock' | 'changed'> & {
  readonly status: () => Promise<SiteFolderStatus>;
};

/** At startup, Porchlight searches this many recent posts for the post that went live last. */
const recentPosts = 50;

const lateWords = (words: string) => `A post has not been live on your site for more than an hour. ${words}`;

/** Creates the functions that inform the owner and the windows about publishing to the folder. */
export function createFolderNews({ status, hub, activity, clock, changed }: FolderNewsDeps) {
  let last: LastChange = null;
  /** The status that was last sent to the windows. */
  let reported: SiteFolderStatus | undefined;

  /** Sends the status to the windows if it has changed. Combines several changes at the same time into one message. */
  const reportStatus = coalesced(async () => {
    const now = await status();
    if (isDeepStrictEqual(now, reported)) return;
    reported = now;
    hub.emit('siteFolder.changed', now);
    changed();
  });

  return {
    reportStatus,

    /**
     * Sends the status to the windows even if it is unchanged, because other data that the windows show may be
     * outdated.
     */
    reportAgain(): Promise<void> {
      reported = undefined;
      return reportStatus();
    },

    /** Records in the activity list that an entry in the publishing queue needs the owner's attention. */
    needsOwner: (reason: 'conflict' | 'late', words: string): Promise<void> =>
      reason === 'conflict'
        ? activity.record('post.conflict', words)
        : activity.record('post.late', lateWords(words)),

    /** Returns the latest change that went live on the owner's site. */
    last: () => last,
    /** Records that a change is live. `url`: the URL of the changed post. */
    noteLive: (url: string | null) =>
      void (last = { at: new Date(clock()).toISOString(), words: 'Published.', url }),
    /** Unless a change has gone live since startup, finds the recent post that went live last. */
    async recallLast(posts: Pick<OwnerPostStore, 'list'>): Promise<void> {
      const { items } = await posts.list({
        limit: recentPosts,
        filter: { status: 'published' },
        isBegun: true,
      });
      const live = items.flatMap(({ home }) => (home?.liveAt ? [{ at: home.liveAt, url: home.url }] : []));
      const [newest] = live.sort((a, b) => (a.at < b.at ? 1 : -1));
      last ??= newest ? { at: newest.at, words: 'Published.', url: newest.url } : null;
    },

    /** Returns the problem with the folder, if there is one. */
    problem: (): Problem | undefined =>
      reported?.state === 'trouble' ? { code: 'site_folder', message: reported.words } : undefined,
  };
}
