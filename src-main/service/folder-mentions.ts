import type { SiteFolderSettings } from '../contract/site-folder.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { shownMentions } from '../mentions/shown-mentions.ts';
import type { OwnerPostStore } from '../micropub/owner-post-store.ts';
import { postAtUrl, urlsOfPage } from '../post/address.ts';
import type { AdoptedPosts } from '../post/adopted-post.ts';
import { mentionFile } from '../site/folder/mention-data.ts';
import { createFilePublisher } from '../site/publishers/file-publisher.ts';
import type { FolderTarget } from '../site/publishers/folder-target.ts';
import type { PublishingQueue } from '../site/publishers/publishing-queue.ts';

interface FolderMentionsDeps {
  readonly settings: () => SiteFolderSettings;
  readonly posts: OwnerPostStore;
  readonly adopted: AdoptedPosts;
  readonly mentions: Pick<MentionStore, 'ofPage' | 'pages'>;
  readonly queue: Pick<PublishingQueue, 'add'>;
  readonly target: () => FolderTarget;
  readonly base: () => string;
  /** Returns the time in ms. */
  readonly clock: () => number;
}

/**
 * The minimum time between two writes of mentions to the folder, in ms. Each write makes the owner's site build again.
 */
const writtenEveryMs = 3_600_000;

/** Creates the part that writes mentions to the data files of the owner's folder. */
export function createFolderMentions(deps: FolderMentionsDeps) {
  const { settings, posts, adopted, mentions, queue, target, base, clock } = deps;
  /** The time at which mentions were last written to the folder, in ms. */
  let writtenAt = 0;

  /**
   * Returns the URL of the page to which a mention's target belongs; undefined if Porchlight doesn't know that page.
   */
  async function pageOf(of: string): Promise<string | undefined> {
    const post = await postAtUrl(posts, base(), of);
    // Anybody can send a mention of any address, so only pages that Porchlight knows get a data file.
    return post?.home?.url ?? (await adopted.at(of.replace(/[?#].*/s, '')))?.url;
  }

  async function mentionsOf(url: string): Promise<MentionRecord[]> {
    return shownMentions(mentions, await urlsOfPage(posts, base(), url));
  }

  /** Schedules writing the mentions of pages to the folder, at most once an hour. */
  async function plan(targets: readonly string[]): Promise<void> {
    if (!settings().on || settings().mentions === 'off') return;
    const pages = await Promise.all(targets.map(pageOf));
    const due = Math.max(clock(), writtenAt + writtenEveryMs);
    const keys = [...new Set(pages.filter((url) => url !== undefined))];
    await queue.add(keys.map((key) => ({ publisher: 'mentions', key, due })));
  }

  return {
    plan,
    /** Schedules writing the mentions of all pages to the folder. */
    planAll: async () => plan((await mentions.pages()).map((page) => page.target)),
    publisher: createFilePublisher({
      name: 'mentions',
      target: () => Promise.resolve(target()),
      async fileOf({ key }) {
        if (settings().mentions === 'off') return undefined;
        writtenAt = clock();
        return mentionFile(key, await mentionsOf(key), settings());
      },
      messageOf: (files) =>
        `Update the mentions of ${files.length === 1 ? 'a page' : `${files.length} pages`}`,
    }),
  };
}

export type FolderMentions = ReturnType<typeof createFolderMentions>;
