import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Handlers } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { SiteFolderSettings, SiteFolderStatus } from '../contract/site-folder.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { Problem } from '../contract/status.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { OwnerPostStore } from '../micropub/owner-post-store.ts';
import { examineFolder } from '../owner/examine-folder.ts';
import { folderStatus, siteFolderHandlers, type LastChange } from '../owner/site-folder.ts';
import { folderProblem } from '../owner/site-folder-settings.ts';
import { FetchError } from '../platform/fetch-error.ts';
import { openGit } from '../platform/git.ts';
import type { Common } from './common.ts';
import { coalesced } from '../storage/coalesce.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { shownMentions } from '../mentions/shown-mentions.ts';
import { postAtUrl, urlsOfPage } from '../post/address.ts';
import type { ChangedPost } from '../post/changed-post.ts';
import { openAdoptedPosts } from '../site/adopted/adopted-posts.ts';
import { writeBackTo } from '../site/adopted/write-back.ts';
import { titleOf, type EntryView } from '../site/entry.ts';
import { homeOf } from '../site/folder/addresses.ts';
import { mentionFile, snippetFor } from '../site/folder/mention-data.ts';
import type { PostAtHome } from '../site/folder/live-mark.ts';
import { postFile } from '../site/folder/post-file.ts';
import { examplePost } from '../site/preview.ts';
import { PublishingTrouble } from '../site/publishers/folder-target.ts';
import { createFilePublisher } from '../site/publishers/file-publisher.ts';
import { openOwnerFolder } from '../site/publishers/owner-folder.ts';
import { createPostPublisher, type LivePage } from '../site/publishers/post-publisher.ts';
import type { PublishingEntry } from '../site/publishers/publishing-entry.ts';
import { openPublishingQueue, publishingJournal } from '../site/publishers/publishing-queue.ts';

type FolderDeps = Pick<
  Common,
  | 'dataDir'
  | 'index'
  | 'onRecovered'
  | 'profile'
  | 'log'
  | 'clock'
  | 'hub'
  | 'activity'
  | 'base'
  | 'fetch'
  | 'tell'
  | 'changed'
> & {
  readonly settings: () => SiteFolderSettings;
  /** Resolves with what a page shows of a post. Reads the page on another thread. */
  readonly readPage: (page: string, post: PostAtHome) => Promise<{ live: boolean; hasOwnUrl: boolean }>;
};

/** The parts that are opened later, and that the folder publishes. */
interface Published {
  readonly posts: OwnerPostStore;
  readonly media: Pick<MediaStore, 'get' | 'fileOf'>;
  readonly mentions: Pick<MentionStore, 'ofPage' | 'pages'>;
  /** Returns what a post's page needs. */
  readonly viewOf: (post: Post) => Promise<EntryView>;
  /** Called when a change of a post is live. `isNews`: false if nobody is to be notified. */
  readonly live: (post: Post, isNews: boolean) => void;
}

const livePage = { maxBytes: 5_000_000, timeoutMs: 20_000 };
/** Mentions are written at most this often, in ms: each time, the owner's site is built. */
const mentionsEveryMs = 3_600_000;

const lateWords = ({ words }: PublishingEntry) =>
  `A post has not been live on your site for more than an hour. ${words}`;

/** Opens the part of the service that publishes to the folder of the owner's own site. */
export async function openSiteFolder(deps: FolderDeps) {
  const { dataDir, onRecovered, log, clock, hub, activity, base, fetch, tell, changed, settings, profile } =
    deps;
  const stopping = new AbortController();
  let published: Published | undefined;
  let last: LastChange = null;
  /** When mentions were last written to the folder, in ms. */
  let mentionsWrittenAt = 0;
  /** The state that the windows know. */
  let told: SiteFolderStatus | undefined;

  const folder = openOwnerFolder({
    ...{ settings, ownerName: () => profile().name, log, now: clock, signal: stopping.signal },
  });
  const isOn = () => settings().on && folderProblem(settings()) === undefined;
  const queue = await openPublishingQueue({
    ...{ file: path.join(dataDir, publishingJournal), onRecovered, now: clock, log, isOn },
    changed: (entry, before) => tell(follow(entry, before)),
  });

  function opened(): Published {
    if (published === undefined) throw new Error('The folder is used before it is connected.');
    return published;
  }

  function statusDeps() {
    return { settings, queue, posts: opened().posts, base, clock, last: () => last };
  }

  /** Tells the windows the state if it has changed. Many changes at once are told together. */
  const tellStatus = coalesced(async () => {
    const status = await folderStatus(statusDeps());
    if (isDeepStrictEqual(status, told)) return;
    told = status;
    hub.emit('siteFolder.changed', status);
    changed();
  });

  /** Tells the owner about an entry that needs attention, and the windows about every change. */
  async function follow(entry: PublishingEntry, before: PublishingEntry | undefined): Promise<void> {
    if (entry.state === 'conflict' && before?.state !== 'conflict')
      await activity.tell('post.conflict', entry.words);
    if (entry.late && !before?.late) await activity.tell('post.late', lateWords(entry));
    await tellStatus();
  }

  async function fileOf(post: PostAtHome, wanted: SiteFolderSettings) {
    const view = await opened().viewOf(post);
    return { ...postFile(post, view, wanted), title: titleOf(post, view) };
  }

  async function page(url: string, signal: AbortSignal): Promise<LivePage> {
    try {
      const response = await fetch(url, { ...livePage, signal });
      return { status: response.status, text: response.text() };
    } catch (error) {
      if (error instanceof FetchError)
        throw new PublishingTrouble(`Your site doesn’t answer: ${error.detail}`);
      throw error;
    }
  }

  const adopted = openAdoptedPosts({
    ...{ index: deps.index, settings, log },
    isOwn: async (url) => (await opened().posts.atHome(url)) !== undefined,
    writeBack: (change) => writeBackTo(() => Promise.resolve(folder.target()), change),
  });

  /** Returns the URL of the data file's page for a mention's target; undefined if it is on another site. */
  async function pageOf(target: string): Promise<string | undefined> {
    const post = await postAtUrl(opened().posts, base(), target);
    // Anybody may mention any address, so only pages that Porchlight knows get a file.
    return post?.home?.url ?? (await adopted.at(target.replace(/[?#].*/s, '')))?.url;
  }

  async function mentionsOf(url: string): Promise<MentionRecord[]> {
    const { posts, mentions } = opened();
    return shownMentions(mentions, await urlsOfPage(posts, base(), url));
  }

  /** Plans to write the mentions of pages to the folder: at most once an hour. */
  async function writeMentions(targets: readonly string[]): Promise<void> {
    if (!settings().on || settings().mentions === 'off') return;
    const pages = await Promise.all(targets.map(pageOf));
    const due = Math.max(clock(), mentionsWrittenAt + mentionsEveryMs);
    const keys = [...new Set(pages.filter((url) => url !== undefined))];
    await queue.add(keys.map((key) => ({ publisher: 'mentions', key, due })));
  }

  const stopListening = hub.subscribe(({ name, data }) => {
    if (name === 'webmention.received' || name === 'webmention.changed') tell(writeMentions([data.target]));
  });

  return {
    /** Chooses where a post is on the owner's site. */
    chooseHome: async (post: Post, isFree: (url: string) => boolean) =>
      isOn() ? folder.homeFor(post, isFree) : undefined,
    /** The posts that were already in the folder. */
    adopted,
    /** Returns whether a post's current version is not on the owner's site yet. */
    isWaiting: (postPath: string) => queue.get('posts', postPath) !== undefined,

    /** Adds the parts that are opened later. Call it once, before `start`. */
    connect(parts: Published): void {
      published = parts;
      const { posts, media, live } = parts;
      queue.connect(
        createFilePublisher({
          name: 'mentions',
          target: () => Promise.resolve(folder.target()),
          async fileOf({ key }) {
            if (settings().mentions === 'off') return undefined;
            mentionsWrittenAt = clock();
            return mentionFile(key, await mentionsOf(key), settings());
          },
          messageOf: (files) =>
            `Update the mentions of ${files.length === 1 ? 'a page' : `${files.length} pages`}`,
        }),
      );
      queue.connect(
        createPostPublisher({
          ...{ posts, page, readPage: deps.readPage, usersOf: (file) => posts.usersOf(file), now: clock },
          target: () => Promise.resolve(folder.target()),
          fileOf: (post) => fileOf(post, settings()),
          async mediaFile(mediaPath) {
            const file = await media.get(mediaPath);
            return file && media.fileOf(file);
          },
          live(post, { quiet = false }) {
            const { url = null } = post.home ?? {};
            last = { at: new Date(clock()).toISOString(), words: 'Published.', url };
            live(post, !quiet);
          },
        }),
      );
    },

    /**
     * Plans what follows a change of a post. Resolves once it is on disk.
     * @throws PorchlightError `storage_…`
     */
    async postChanged({ post, before }: Pick<ChangedPost, 'post' | 'before'>): Promise<void> {
      if (post.home ?? before?.home) await queue.add([{ publisher: 'posts', key: post.path }]);
    },

    /** Publishes the posts that use a file again, because the file was deleted. */
    async mediaDeleted(file: string): Promise<void> {
      const { items } = await opened().posts.list({ limit: 500, filter: { uses: file } });
      const users = items.filter(({ home }) => home !== undefined);
      await queue.add(users.map(({ path: key }) => ({ publisher: 'posts', key, quiet: true })));
    },

    /** Returns the owner's problem with the folder, if there is one. */
    problem: (): Problem | undefined =>
      told?.state === 'trouble' ? { code: 'site_folder', message: told.words } : undefined,

    handlers: () =>
      siteFolderHandlers({
        ...statusDeps(),
        detect: (found) => examineFolder(found, (at) => openGit({ folder: at, log })),
        async preview(post, wanted) {
          const home = homeOf(post, wanted);
          const written = { file: home.file, former: [], written: {}, liveAt: null, url: home.url };
          const { file, text, media } = await fileOf({ ...post, home: written }, wanted);
          return { file, text, url: home.url, media: media.map((one) => one.file) };
        },
        example: examplePost,
        snippet: ({ generator }) => snippetFor(generator),
      }) satisfies Partial<Handlers>,

    /** Does what follows a change of the settings. */
    async settingsChanged(patch: Partial<SiteFolderSettings>): Promise<void> {
      folder.forget();
      tell(adopted.refresh());
      if (patch.mentions === 'data') {
        const pages = await opened().mentions.pages();
        await writeMentions(pages.map(({ target }) => target));
      }
      queue.wake();
      await tellStatus();
    },

    start(): void {
      queue.start();
      adopted.start();
    },
    /** Does what is due, because the computer woke or the settings changed. */
    wake: () => queue.wake(),
    async stop(): Promise<void> {
      stopListening();
      stopping.abort();
      await Promise.all([queue.stop(), adopted.stop()]);
    },
  };
}

export type SiteFolder = Awaited<ReturnType<typeof openSiteFolder>>;
