import type { Post } from '../contract/posts.ts';
import type { SiteFolderSettings } from '../contract/site-folder.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { shownMentions } from '../mentions/shown-mentions.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { postOnPage } from '../posts/address.ts';
import type { AdoptedPosts } from '../posts/adopted-post.ts';
import { withOtherScheme } from '../posts/page-address.ts';
import type { ChangedPost } from '../posts/changed-post.ts';
import { isReadable } from '../posts/visibility.ts';
import { mentionDataFile } from './mention-data.ts';
import { createFilePublisher } from './publishing/file-publisher.ts';
import type { FolderTarget } from './publishing/folder-target.ts';
import type { PublishingQueue } from './publishing/publishing-queue.ts';

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

/** The minimum time between two writes of mentions, in ms. Each write makes the owner's site build again. */
const writtenEveryMs = 3_600_000;

/** Creates the functions that write mentions to the data files of the owner's folder. */
export function createFolderMentions(deps: FolderMentionsDeps) {
  const { settings, posts, adopted, mentions, queue, target, base, clock } = deps;
  /** The time at which mentions were last written to the folder, in ms. */
  let writtenAt = 0;

  /** Returns the URLs at which a post's page is or was on the owner's site. */
  const placesOf = ({ home }: Post) => (home ? [home.url, ...home.former] : []);

  /**
   * Returns the current and former URLs of the page to which a mention's target belongs. Returns no URLs if Porchlight
   * doesn't know the page.
   */
  async function placesAt(of: string): Promise<string[]> {
    const post = await postOnPage(posts, base(), of);
    if (post?.home) return placesOf(post);
    // If Porchlight doesn't know a page, the page gets no data file. Otherwise, anybody could create files by sending
    // mentions of made-up URLs.
    const older = await adopted.at(of.replace(/[?#].*/s, ''));
    return older ? [older.url] : [];
  }

  /** Returns the mentions for a page's data file. Returns none if the page's post has moved or was withdrawn. */
  async function mentionsOn(url: string): Promise<MentionRecord[]> {
    if (settings().mentions === 'off') return [];
    const post = await postOnPage(posts, base(), url);
    if (post && (post.home?.url !== url || !isReadable(post, clock()))) return [];
    return post ? shownMentions(mentions, post.path) : bothSchemes(url);
  }

  /** Returns the mentions of a page that isn't a post of Porchlight, at its http and https URLs together. */
  async function bothSchemes(url: string): Promise<MentionRecord[]> {
    const found = [
      ...(await shownMentions(mentions, url)),
      ...(await shownMentions(mentions, withOtherScheme(url))),
    ];
    return [...new Map(found.reverse().map((mention) => [mention.source, mention])).values()].reverse();
  }

  const order = async (pages: readonly string[], due: number) =>
    queue.add([...new Set(pages)].map((key) => ({ publisher: 'mentions', key, due })));

  /**
   * Schedules a task that writes the mentions of the pages at `targets` to the folder. Mentions are written at most
   * once an hour.
   */
  async function plan(targets: readonly string[]): Promise<void> {
    if (!settings().on || settings().mentions === 'off') return;
    const places = await Promise.all(targets.map(placesAt));
    await order(places.flat(), Math.max(clock(), writtenAt + writtenEveryMs));
  }

  const allTargets = async () => (await mentions.pages()).map((page) => page.target);

  return {
    plan,
    /** Schedules writing the mentions of all pages to the folder. */
    planAll: async () => plan(await allTargets()),
    /** Schedules the removal of the data files of all pages. Called when the owner turns off these files. */
    async planRemoval(): Promise<void> {
      const places = await Promise.all((await allTargets()).map(placesAt));
      await order(places.flat(), clock());
    },
    /**
     * If a post's page has appeared, moved or been withdrawn, schedules an immediate update of the data files with the
     * post's mentions.
     */
    async postChanged({ post, before }: Pick<ChangedPost, 'post' | 'before'>): Promise<void> {
      if (!settings().on || settings().mentions === 'off') return;
      const pageOf = (one: Post | undefined) => (one && isReadable(one, clock()) ? one.home?.url : undefined);
      if (pageOf(post) === pageOf(before)) return;
      const versions = before ? [post, before] : [post];
      const found = await shownMentions(mentions, post.path);
      if (found.length > 0) await order(versions.flatMap(placesOf), clock());
    },
    publisher: createFilePublisher({
      name: 'mentions',
      target: () => Promise.resolve(target()),
      async fileOf({ key }) {
        writtenAt = clock();
        return mentionDataFile(key, await mentionsOn(key), settings());
      },
      messageOf: (files) =>
        `Update the mentions of ${files.length === 1 ? 'a page' : `${files.length} pages`}`,
    }),
  };
}

export type FolderMentions = ReturnType<typeof createFolderMentions>;
