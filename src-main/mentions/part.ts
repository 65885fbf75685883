import { inBackground } from '../platform/log.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import path from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { ImportProgress } from '../contract/mention-import.ts';
import type { Settings } from '../contract/settings.ts';
import type { MentionActivity } from './mention-activity.ts';
import { aggregatorTokenName } from '../platform/secrets.ts';
import { mentionsHandlers, ownerRecordOf } from './owner.ts';
import { watchWaking } from '../platform/clock.ts';
import type { OpenWebmention } from './sending/sending.ts';
import type { Common } from '../http/common.ts';
import type { Activity } from '../storage/records/activity.ts';
import { type Blocks, createBlocks } from './blocked.ts';
import type { PostReading } from '../posts/post-reading.ts';
import { type PageFinder, type PostFinder, postOnPage } from '../posts/address.ts';
import { isOpen } from '../posts/visibility.ts';
import { importRoutes } from './receiving/management-routes.ts';
import { MentionImport } from './import/import.ts';
import { isShown, type Mention } from './mention.ts';
import { mentionPages, type MentionPages } from './mention-pages.ts';
import { MentionStore } from './mention-store.ts';
import { type OwnSiteRules, ownSites, type OwnSites, targetHosts } from './own-sites.ts';
import type { PageReading } from './receiving/read-source.ts';
import { createMentionPictures, type MentionPictures } from './receiving/pictures.ts';
import { readingRoutes } from './reading-api/routes.ts';
import type { PostCopy } from './sending/copies.ts';
import { Sender } from './sending/send.ts';
import { statusOfImported } from './receiving/verification.ts';
import { createWebmention, type Webmention } from './receiving/webmention.ts';

/**
 * Does what follows a mention. `received`: it is new. `changed`: its source or the owner's decision changed. `imported`:
 * it comes from an export of Porchlight; nobody is notified. Never rejects.
 */
export type FollowMention = (on: 'received' | 'changed' | 'imported', mention: Mention) => Promise<void>;

interface MentioningDeps extends Omit<Common, 'version' | 'documents' | 'background' | 'changed'> {
  /** Records incoming mentions and failed deliveries in the activity list. */
  readonly arrivals: MentionActivity;
  readonly settings: () => Settings['webmention'];
  /** Returns the uids of the owner's cross-posting targets. */
  readonly targets: () => readonly string[];
  /** Returns the rules that determine which sites belong to the owner. */
  readonly owned: () => OwnSiteRules;
  readonly reading: PageReading;
  /** Returns the pages that a post links to. */
  readonly readLinks: PostReading['links'];
  readonly pictures: Pictures;
  /** Returns why a webmention that is sent has to wait; undefined if it can be sent. */
  readonly notYet: (
    webmention: OpenWebmention,
    reading: Pick<Common, 'fetch'> & { readonly reading: Pick<PageReading, 'source'> },
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly isManagementToken: (text: string) => boolean;
  /** Returns who pays for a token with which an app may read the public mentions of all pages; see read_mentions. */
  readonly readerOf: (token: string) => Promise<string | undefined>;
  /** Ends the state in which mentions are held until the owner has looked. */
  readonly ownerLooked: () => Promise<void>;
}

/**
 * The interval at which Porchlight compares its mentions with the aggregator's, in ms. Deletions are found only by
 * comparing, because aggregators don't report them (WI-33).
 */
const comparedEveryMs = 7 * 86_400_000;

/** The parts that provide the posts and the site that receive mentions. Those parts open after this one. */
export interface MentionedSite {
  /** Resolves to true if a page of the built-in site is public. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  readonly posts: PostFinder & PageFinder;
  /** Finds the posts that send webmentions: those of `posts`, and the posts that were already in the owner's folder. */
  readonly senders: PostFinder;
  /** Returns whether the webmentions of the post at a path can be sent now. They wait until the post is live. */
  readonly mayLeave?: (path: string) => boolean;
  /** Stores the URL of the copy that a cross-posting service made of a post. */
  readonly storeCopy: (copy: PostCopy) => Promise<void>;
}

/**
 * Returns a PostFinder that passes each call on to the result of `finder`. Finds nothing while `finder` returns
 * undefined.
 */
const finderOf = (finder: () => PostFinder | undefined): PostFinder => ({
  get: async (path) => finder()?.get(path),
  movedTo: async (path) => finder()?.movedTo(path),
  atHome: async (url) => finder()?.atHome(url),
});

/** Opens the part of the service that receives, imports and sends webmentions. */
export class Mentioning {
  readonly #options: MentioningDeps;
  /** The steps of this part that follow a mention. */
  readonly steps = {
    notifyOwner: (mention: Mention) => this.#options.arrivals.received(this.#forOwner(mention)),
    window: (mention: Mention, on: Parameters<FollowMention>[0]) =>
      this.#options.hub.emit(
        on === 'received' ? 'webmention.received' : 'webmention.changed',
        this.#forOwner(mention),
      ),
    upstream: (mention: Mention) => this.#notifyUpstream(mention),
    pictures: ({ facts: { author, photo = [] } }: Mention) =>
      Promise.all([this.pictures.request([author?.photo ?? '']), this.pictures.request(photo, 'photo')]),
  };
  /** Receives a mention that the mailbox stored. */
  readonly receiveKept: Webmention['receiveKept'];
  readonly handlers: ReturnType<typeof mentionsHandlers>;
  readonly routes: readonly FastifyPluginCallback[];
  readonly #dir: string;
  #site: MentionedSite | undefined;
  readonly #posts: PostFinder;
  readonly #pages: MentionPages;
  readonly #blocks: Blocks;
  readonly #follow: ReturnType<typeof inBackground>;
  #mentionDone: FollowMention = () => Promise.reject(new Error('A mention arrived before anything follows.'));
  readonly mentions: MentionStore;
  readonly pictures: MentionPictures;
  readonly sender: Sender;
  readonly #webmention: Webmention;
  #progress: ImportProgress | null = null;
  readonly #importer: MentionImport;
  #end: () => void = () => undefined;
  readonly #ended: Promise<null>;
  #unwatch: () => void = () => undefined;

  constructor(options: MentioningDeps) {
    this.#options = options;
    this.#dir = path.join(this.#options.dataDir, 'webmentions');
    this.#posts = finderOf(() => this.#site?.posts);
    this.#pages = mentionPages(this.#options.base, {
      pageAt: (address) => this.#site?.posts.pageAt(address) ?? address,
      homeUrl: (page) => this.#site?.posts.homeUrl(page),
      titleOf: (page) => this.#site?.posts.titleOf(page),
    });
    this.#blocks = createBlocks(this.#options.records);
    this.#follow = inBackground(this.#options.log);
    this.mentions = new MentionStore({
      records: this.#options.records,
      versions: this.#options.versions,
      now: this.#options.clock,
      log: this.#options.log,
      pages: this.#pages,
      ownSites: () => this.#own(),
      blocks: this.#blocks,
      blockApplied: (mention) => this.decided(mention),
    });
    this.pictures = createMentionPictures({
      ...this.#options,
      dir: this.#dir,
      now: this.#options.clock,
      changed: () => this.#options.versions.changed('pictures'),
    });
    this.sender = senderOf(
      this.#options,
      this.mentions,
      () => this.#own(),
      () => this.#site,
    );
    this.#webmention = createWebmention({
      ...this.#options,
      mayDisclose: (page) => this.mayDisclose(page),
      blocks: this.#blocks,
      store: this.mentions,
      isPost: async ({ href }) => {
        const post = await postOnPage(this.#posts, this.#options.base(), href);
        return post !== undefined && isOpen(post);
      },
      isPublicPage: async (url) => (await this.#site?.isPublicPage(url)) ?? false,
      events: {
        received: (mention) => this.#follow(this.#mentionDone('received', mention)),
        changed: (mention) => this.decided(mention),
        refused: (why) => this.#options.arrivals.refused(why),
      },
    });
    this.#importer = new MentionImport({
      ...this.#options,
      dir: this.#dir,
      now: this.#options.clock,
      store: this.mentions,
      aggregatorUrl: () => this.#options.settings().aggregatorUrl,
      statusOf: (mention, isLater) =>
        statusOfImported(
          { store: this.mentions, settings: this.#options.settings, ownSites: () => this.#own() },
          mention,
          isLater,
        ),
      events: {
        progress: (state) => {
          this.#progress = state;
          this.#options.hub.emit('import.progress', state);
        },
        ...importNotes(this.#options.activity, this.#follow),
      },
    });
    this.#ended = new Promise<null>((resolve) => {
      this.#end = () => resolve(null);
    });
    this.routes = [
      ...this.#webmention.routes,
      importRoutes(this.#options.isManagementToken, this.#importer),
      readingRoutes({
        store: this.mentions,
        kept: this.#options.kept,
        base: this.#options.base,
        mayDisclose: (page) => this.mayDisclose(page),
        isManagementToken: this.#options.isManagementToken,
        readerOf: this.#options.readerOf,
      }),
      this.pictures.routes,
    ];
    this.handlers = mentionsHandlers({
      ...this.#options,
      mentions: this.mentions,
      blocks: this.#blocks,
      webmention: this.#webmention,
      sender: this.sender,
      importer: this.#importer,
      changed: (mention) => this.decided(mention),
      forOwner: (mention) => this.#forOwner(mention),
      picture: (url, kind) => this.pictures.dataUrl(url, kind),
      progress: () => this.#progress,
    });
    this.receiveKept = this.#webmention.receiveKept;
  }

  imported(mention: Mention): void {
    this.#follow(this.#mentionDone('imported', mention));
  }

  /** Does what follows a decision of the owner about a mention. */
  decided(mention: Mention): void {
    this.#follow(this.#mentionDone('changed', mention));
  }

  /** Returns the hosts on which pages can receive mentions. */
  targetHosts(): ReadonlySet<string> {
    return targetHosts(this.#options.owned());
  }

  /** Connects the posts and the site that receive mentions. Call it once, before `start`. */
  connect(mentioned: MentionedSite): void {
    this.#site = mentioned;
  }

  /** Sets what follows a mention. Call it once, before `start`. */
  followedBy(what: FollowMention): void {
    this.#mentionDone = what;
  }

  /** Call this when the server may have a new address. */
  checkAddress(): void {
    this.sender.checkAddress();
  }

  /**
   * Resumes the work that was pending when the service stopped. Fetches new mentions from the aggregator now and each
   * time the computer wakes up.
   */
  async start(): Promise<void> {
    this.#unwatch = watchWaking(this.#options.clock, () => this.wake());
    // After a restore or a kill, the first answer takes longer. No visitor should have to wait for it.
    this.mentions.list({ limit: 1 }).catch(() => undefined);
    await this.#options.records.whenSound(async () => {
      await this.#webmention.resume();
      await this.sender.start();
      await this.#catchUp();
    });
  }

  /** Runs the work that became due while the computer slept or had no network. */
  wake(): void {
    this.#options.work.wake();
    this.#follow(this.#catchUp(), 'what was due while the computer slept could not all be done');
  }

  async stop(): Promise<void> {
    this.#unwatch();
    this.#end();
    await this.#importer.stop();
    await this.#follow.finished();
    await this.sender.stop();
    await this.mentions.close();
  }

  /** Returns whether everybody may learn of a page; see MayDisclose. */
  async mayDisclose(page: string): Promise<boolean> {
    const post = await this.#posts.get(page);
    return post === undefined || isOpen(post);
  }

  #own() {
    return ownSites(this.#options.owned());
  }

  #forOwner(mention: Mention) {
    return ownerRecordOf(mention, this.#own(), this.#pages.titleOf(mention.target));
  }

  /**
   * Called when a new response appears on a post's page. Because this changes the page, notifies the pages that the
   * post links to (Salmention).
   */
  async #notifyUpstream(mention: Mention): Promise<void> {
    // An import notifies nobody, also not when the owner approves its comments.
    if (mention.comment) return;
    const isOnPage = isShown(mention) && (await this.mentions.isLeading(mention.id));
    if (isOnPage) await this.sender.responseShown(mention);
  }

  /** Imports the mentions that the aggregator has received since the last import, if the owner uses an aggregator. */
  async #catchUp(): Promise<void> {
    if (!this.#options.settings().catchUp) return;
    // Reading the token may have to wait until somebody unlocks the keychain. Shutdown must not wait for that, so
    // `ended` ends the wait.
    const token = await Promise.race([this.#options.secrets.get(aggregatorTokenName), this.#ended]);
    if (token !== null) await this.#importer.run({ token, fullAfterMs: comparedEveryMs });
  }
}

function senderOf(
  deps: MentioningDeps,
  mentions: Pick<MentionStore, 'personUrl'>,
  own: () => OwnSites,
  site: () => MentionedSite | undefined,
): Sender {
  const { clock, fetch, reading, hub, arrivals } = deps;
  return new Sender({
    ...deps,
    now: clock,
    posts: finderOf(() => site()?.senders),
    mayLeave: (path) => site()?.mayLeave?.(path) ?? true,
    notYet: (webmention, signal) => deps.notYet(webmention, { fetch, reading }, signal),
    personUrl: (handle) => mentions.personUrl(handle),
    crossPosting: {
      targets: deps.targets,
      isOwn: (url) => own().has(url),
      store: async (copy) => site()?.storeCopy(copy),
    },
    changed(delivery) {
      hub.emit('deliveries.changed', { source: delivery.source });
      arrivals.delivered(delivery);
    },
  });
}

/** Returns what writes notes about an import into the activity list. */
function importNotes(activity: Activity, follow: ReturnType<typeof inBackground>) {
  const record = (kind: string) => (words: string) =>
    follow(activity.record(kind, words), 'an import could not be written down');
  return { compared: record('webmention.compared'), leftOut: record('webmention.refused') };
}
