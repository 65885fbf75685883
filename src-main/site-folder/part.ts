import type { Handlers } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { SiteFolderSettings } from '../contract/site-folder.ts';
import type { Common } from '../http/common.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { FetchError } from '../platform/fetched-response.ts';
import { openGit } from './git/git.ts';
import { folderMediaPlace, homeOf } from '../posts/files/addresses.ts';
import type { PostAtHome } from '../posts/files/live-mark.ts';
import type { PostSource } from '../posts/files/post-markdown.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import type { ChangedPost, ChooseHome } from '../posts/post-store.ts';
import { unknownColumn } from '../posts/rendering/embedded.ts';
import { type EntryView, titleOf } from '../posts/rendering/entry.ts';
import { OlderPosts } from './adopted/adopted-posts.ts';
import { writeBackTo } from './adopted/folder-files.ts';
import { examineFolder } from './examine-folder.ts';
import type { ReadFolderText } from './folder-jobs.ts';
import { withinLimits } from './folder-reader.ts';
import { createFolderMentions, type FolderMentions } from './folder-mentions.ts';
import { createFolderNews } from './folder-news.ts';
import { createFolderRedirects, factsFor } from './folder-redirects.ts';
import { folderStatus, siteFolderHandlers } from './owner.ts';
import { openOwnerFolder, PublishingTrouble } from './publishing/folder-target.ts';
import { createPlanning } from './publishing/planning.ts';
import { PostPublisher, type LivePage } from './publishing/post-publisher.ts';
import { PublishingQueue } from './publishing/publishing-queue.ts';
import { folderProblem } from './site-folder-settings.ts';

type FolderDeps = Pick<
  Common,
  | 'versions'
  | 'records'
  | 'work'
  | 'profile'
  | 'log'
  | 'clock'
  | 'hub'
  | 'activity'
  | 'base'
  | 'fetch'
  | 'background'
  | 'changed'
> & {
  readonly settings: () => SiteFolderSettings;
  /** Whether this start took the data of a backup, which has no queue. */
  readonly isRestored: boolean;
  /**
   * Returns whether a page shows the current version of a post, and whether it contains the post's own URL. Reads the
   * page on another thread.
   */
  readonly readPage: (page: string, post: PostAtHome) => Promise<{ live: boolean; hasOwnUrl: boolean }>;
  /** Returns whether Bridgy Fed answers for the site in the fediverse. */
  readonly isBridged: () => boolean;
  /** Reads the files of the folder on other threads. */
  readonly parsing: { readonly ofFolder: (use: 'owner' | 'scan' | 'site') => ReadFolderText };
};

/** The parts that provide the posts, files and mentions to publish. Those parts open after this one. */
export interface PublishedSite {
  readonly posts: OwnerPostStore;
  readonly media: Pick<MediaStore, 'get'>;
  /** Returns the local path of a file or of a version of a picture; undefined if it doesn't exist. `path`: `/media/...`. */
  readonly mediaFile: (path: string) => Promise<string | undefined>;
  readonly mentions: Pick<MentionStore, 'ofPage' | 'pages'>;
  /** Returns the data that a post's page shows. */
  readonly viewOf: (post: Post) => Promise<EntryView>;
  /** Called when a change to a post is live. `isNews`: whether to notify WebSub subscribers. */
  readonly live: (post: Post, isNews: boolean) => void;
  /** Called when nothing is left to publish of a post. */
  readonly finished: () => void;
}

/** Publishes to the folder of the owner's own site. */
export class SiteFolder {
  readonly #deps: FolderDeps;
  readonly #read: ReadFolderText;
  readonly #stopping = new AbortController();
  readonly #folder: ReturnType<typeof openOwnerFolder>;
  readonly #news: ReturnType<typeof createFolderNews>;
  readonly #queue: PublishingQueue;
  readonly #planning: ReturnType<typeof createPlanning>;
  /** The posts that were already in the folder. */
  readonly adopted: OlderPosts;
  #published: PublishedSite | undefined;
  #folderMentions: FolderMentions | undefined;
  #redirects: ReturnType<typeof createFolderRedirects> | undefined;
  /**
   * True if the settings allowed data files with mentions before their last change. The folder may then contain such
   * files.
   */
  #hasMentionFiles: boolean;

  constructor(deps: FolderDeps) {
    const { settings, log, clock, hub, activity, changed, background, work, records, profile } = deps;
    this.#deps = deps;
    this.#read = deps.parsing.ofFolder('site');
    this.#hasMentionFiles = settings().mentions === 'data';
    this.#folder = openOwnerFolder({
      settings,
      ownerName: () => profile().name,
      log,
      now: clock,
      signal: this.#stopping.signal,
    });
    const isOn = () => this.#isOn();
    const reportStatus = () => background(this.#news.reportStatus());
    this.#news = createFolderNews({
      hub,
      activity,
      clock,
      changed,
      status: () => folderStatus(this.#statusDeps()),
    });
    this.#queue = new PublishingQueue({
      work,
      records,
      now: clock,
      log,
      isOn,
      changed: reportStatus,
      needsOwner: (reason, words) => background(this.#news.needsOwner(reason, words)),
      finished: () => this.#published?.finished(),
    });
    this.#planning = createPlanning({
      queue: this.#queue,
      isOn,
      log,
      changed: reportStatus,
      behind: async () => {
        const { posts, media } = this.#opened();
        return [...(await posts.behind()), ...(await postsWithDeletedMedia(settings(), posts, media))];
      },
    });
    this.adopted = new OlderPosts({
      records,
      settings,
      log,
      read: this.#read,
      scan: deps.parsing.ofFolder('scan'),
      live: async (signal) => {
        const { readLiveAddresses } = await import('./adopted/live-addresses.ts');
        return readLiveAddresses(deps.fetch, settings().baseUrl, signal);
      },
      isOwn: async (url) => (await this.#opened().posts.atHome(url)) !== undefined,
      writeBack: (change) => writeBackTo(this.#folder.target, change),
    });
  }

  /** Returns what chooses the file and the URL for a post on the owner's site; undefined while publishing is off. */
  homeChooser(): ChooseHome | undefined {
    return this.#isOn() ? (post, isFree) => this.#folder.homeFor(post, isFree) : undefined;
  }

  /** Returns whether a post's current version is not on the owner's site yet. */
  isWaiting(postPath: string): boolean {
    return this.#queue.has('posts', postPath);
  }

  /** Connects the parts that are opened only after this one. Call it once, before `start`. */
  connect(parts: PublishedSite): void {
    this.#published = parts;
    const { posts, mentions, live, mediaFile } = parts;
    const { settings, base, clock, fetch, readPage, isBridged, background } = this.#deps;
    const queue = this.#queue;
    this.#folderMentions = createFolderMentions({
      settings,
      posts,
      adopted: this.adopted,
      mentions,
      queue,
      base,
      clock,
      target: this.#folder.target,
    });
    this.#queue.connect(this.#folderMentions.publisher);
    const leading = createFolderRedirects({
      settings,
      posts,
      queue,
      target: this.#folder.target,
      read: this.#read,
      isBridged,
    });
    this.#redirects = leading;
    this.#queue.connect(leading.publisher);
    this.#queue.connect(
      new PostPublisher({
        posts,
        readPage,
        now: clock,
        target: this.#folder.target,
        page: (url, signal) => fetchLivePage(fetch, url, signal),
        fileOf: (post) => this.#fileOf(post, settings()),
        mediaFile,
        live: (post, { quiet = false }) => {
          this.#news.noteLive(post.home?.url ?? null);
          live(post, !quiet);
          background(leading.plan(post));
        },
      }),
    );
  }

  /**
   * Schedules the publishing of a changed post. Resolves once the schedule is on disk.
   * @throws PorchlightError `storage_…`
   */
  async postChanged({ post, before }: Pick<ChangedPost, 'post' | 'before'>): Promise<void> {
    if (!(post.home ?? before?.home)) return;
    await this.#planning.plan([{ publisher: 'posts', key: post.path }]);
    await this.#folderMentions?.postChanged({ post, before });
  }

  /** Schedules an update of the data files with the mentions of a page. */
  async mentionChanged(target: string): Promise<void> {
    await this.#folderMentions?.plan([target]);
  }

  /** Schedules the publishing of all posts that use a deleted file, or a picture whose versions were just made. */
  async mediaChanged(file: string): Promise<void> {
    const { items } = await this.#opened().posts.list({ limit: 500, filter: { uses: file } });
    const users = items.filter(({ home }) => home !== undefined);
    await this.#planning.plan(users.map(({ path: key }) => ({ publisher: 'posts', key, quiet: true })));
  }

  /** Returns the problem with publishing to the folder, if there is one. */
  problem() {
    return this.#news.problem();
  }

  /** Returns the handlers for the window's calls about the folder. */
  handlers() {
    const { log, parsing } = this.#deps;
    return siteFolderHandlers({
      ...this.#statusDeps(),
      detect: (found) =>
        examineFolder(found, parsing.ofFolder('owner'), (at) => openGit({ folder: at, log })),
      preview: async (of, requested) => {
        const { exampleOf } = await import('./example-posts.ts');
        const { post, mediaOf } = typeof of === 'string' ? exampleOf(of) : { post: of };
        const home = homeOf(post, requested);
        const written = { file: home.file, former: [], written: {}, liveAt: null, url: home.url };
        const { file, text, media } = await this.#fileOf({ ...post, home: written }, requested, mediaOf);
        return { file, text, url: home.url, media: media.map((one) => one.file) };
      },
      adopted: () => this.adopted.summary(),
      fileNames: () => this.#folder.target().names(true),
      // Called when existing posts get their first page on the owner's site. Mentions of these posts have no data
      // files yet.
      homesGiven: async () => this.#folderMentions?.planAll(),
    }) satisfies Partial<Handlers>;
  }

  /** Does everything that is needed after a change to the settings. */
  async settingsChanged(patch: Partial<SiteFolderSettings>): Promise<void> {
    this.#folder.forget();
    this.#deps.background(this.#readOlderPosts());
    const { mentions } = this.#deps.settings();
    if (mentions === 'data' && (patch.mentions !== undefined || patch.on === true))
      await this.#folderMentions?.planAll();
    if (mentions === 'off' && this.#hasMentionFiles) await this.#folderMentions?.planRemoval();
    this.#hasMentionFiles = mentions === 'data';
    if (patch.on === true) {
      await this.#planning.catchUp();
      if (this.#deps.isBridged()) await this.#redirects?.planAll();
    }
    this.#queue.wake();
    await this.#news.reportStatus();
  }

  /** Does what is needed after a change to the cross-posting targets. */
  async targetsChanged(): Promise<void> {
    if (this.#isOn()) await this.#redirects?.planAll();
  }

  /** Returns the name of the folder's redirects file; undefined if there is none, or while publishing is off. */
  async redirectsFile(): Promise<string | undefined> {
    return this.#isOn() ? this.#redirects?.file() : undefined;
  }

  start(): void {
    this.#deps.background(this.#news.recallLast(this.#opened().posts));
    this.#queue.start();
    this.#deps.background(this.#planning.catchUp());
    if (this.#deps.isRestored) this.#deps.background(this.#planFiles());
    this.adopted.start();
  }

  /** Aborts git. Call it before the work is stopped, and `stop` afterwards. */
  interrupt(): void {
    this.#stopping.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#planning.stop();
    await this.adopted.stop();
  }

  #isOn(): boolean {
    const settings = this.#deps.settings();
    return settings.on && folderProblem(settings) === undefined;
  }

  #opened(): PublishedSite {
    if (this.#published === undefined) throw new Error('The folder is used before it is connected.');
    return this.#published;
  }

  #statusDeps() {
    const { settings, base, clock } = this.#deps;
    return {
      settings,
      queue: this.#queue,
      posts: this.#opened().posts,
      base,
      clock,
      last: () => this.#news.last(),
      unplanned: this.#planning.trouble,
      warning: () => this.#folder.warning(),
    };
  }

  async #fileOf(post: PostAtHome, chosen: SiteFolderSettings, shown?: EntryView['shown']) {
    const { postFile } = await import('../posts/files/post-file.ts');
    // The width of the column in the owner's own design is unknown.
    const pictures = { column: unknownColumn };
    const view = { ...(await this.#opened().viewOf(post)), pictures, ...(shown && { shown }) };
    const facts = await factsFor(post, chosen, this.#read);
    return {
      ...(await postFile(post, view, chosen, (source) => this.#postMarkdown(source), facts)),
      title: titleOf(post, view),
    };
  }

  /** Converts the text of a post. A text that exceeds the limits is published as HTML. */
  #postMarkdown(source: PostSource): Promise<string | undefined> {
    return withinLimits(this.#read('postMarkdown', source, 'The text of the post'));
  }

  /** Schedules the update of all files that aren't posts. */
  async #planFiles(): Promise<void> {
    if (!this.#isOn()) return;
    await this.#folderMentions?.planAll();
    await this.#redirects?.planAll();
  }

  /** Reads the posts that were already in the folder, and then updates the windows. */
  async #readOlderPosts(): Promise<void> {
    await this.adopted.refresh();
    await this.#news.reportAgain();
  }
}

/**
 * Returns the paths of posts whose media file was deleted in Porchlight but is still in the owner's folder. These posts
 * must be published again. A file is left over if the disk was full, or if Porchlight was killed before it scheduled
 * publishing.
 */
async function postsWithDeletedMedia(
  settings: SiteFolderSettings,
  posts: Pick<OwnerPostStore, 'mediaOfHomes' | 'get'>,
  media: Pick<MediaStore, 'get'>,
): Promise<string[]> {
  const isThere = new Map<string, boolean>();
  const found = new Set<string>();
  for (const { path, media: file } of await posts.mediaOfHomes()) {
    if (found.has(path)) continue;
    if (!isThere.has(file)) isThere.set(file, (await media.get(file)) !== undefined);
    if (isThere.get(file)) continue;
    const written = (await posts.get(path))?.home?.written ?? {};
    if (folderMediaPlace(file, settings).file in written) found.add(path);
  }
  return [...found];
}

const pageLimits = { maxBytes: 5_000_000, timeoutMs: 20_000 };

/**
 * Fetches a page of the owner's own site.
 * @throws PublishingTrouble if the site doesn't respond
 */
async function fetchLivePage(fetch: Common['fetch'], url: string, signal: AbortSignal): Promise<LivePage> {
  try {
    const response = await fetch(url, { ...pageLimits, signal });
    return { status: response.status, text: response.text() };
  } catch (error) {
    if (error instanceof FetchError) throw new PublishingTrouble(`Your site doesn’t answer: ${error.detail}`);
    throw error;
  }
}
