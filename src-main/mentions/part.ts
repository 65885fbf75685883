import { inBackground } from '../platform/log.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import path from 'node:path';
import type { ImportProgress } from '../contract/mention-import.ts';
import type { Settings } from '../contract/settings.ts';
import { mentionExportHandlers } from './owner-export.ts';
import type { MentionActivity } from './mention-activity.ts';
import { aggregatorTokenName } from '../platform/secrets.ts';
import { mentionImportHandlers, ownerRecordOf, webmentionHandlers } from './owner.ts';
import { watchWaking } from '../platform/clock.ts';
import type { OpenWebmention } from './sending/sending.ts';
import type { Common } from '../http/common.ts';
import { createBlocks } from './blocked.ts';
import type { PostReading } from '../posts/post-reading.ts';
import { type PageFinder, type PostFinder, postOnPage } from '../posts/address.ts';
import { isOpen } from '../posts/visibility.ts';
import { importRoutes } from './receiving/management-routes.ts';
import { createImport } from './import/import.ts';
import { isShown, type Mention } from './mention.ts';
import { mentionPages } from './mention-store.ts';
import { createMentionStore } from './mentions-on-disk.ts';
import { ownSites, targetHosts } from './own-sites.ts';
import type { PageReading } from './receiving/read-source.ts';
import { createMentionPictures } from './receiving/pictures.ts';
import { readingRoutes } from './reading-api/routes.ts';
import type { PostCopy } from './sending/copies.ts';
import { createSender } from './sending/send.ts';
import { statusOfImported } from './receiving/verification.ts';
import { createWebmention } from './receiving/webmention.ts';

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
  /** Returns the address of the site that is built from the owner's folder; an empty string if there is none. */
  readonly folderSite: () => string;
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
export function openMentioning(deps: MentioningDeps) {
  const { dataDir, versions, onRecovered, log, clock, hub, activity, base, profile, fetch, secrets } = deps;
  const { arrivals, settings, reading, isManagementToken, allowPrivate } = deps;
  const dir = path.join(dataDir, 'webmentions');
  let site: MentionedSite | undefined;
  const posts = finderOf(() => site?.posts);
  const pages = mentionPages(base, {
    pageAt: (address) => site?.posts.pageAt(address) ?? address,
    homeUrl: (page) => site?.posts.homeUrl(page),
    titleOf: (page) => site?.posts.titleOf(page),
  });
  const mayDisclose = async (page: string) => {
    const post = await posts.get(page);
    return post === undefined || isOpen(post);
  };
  const owned = () => ({
    base: base(),
    me: profile().me,
    folderSite: deps.folderSite(),
    hosts: settings().hosts,
  });
  const own = () => ownSites(owned());
  const blocks = createBlocks(deps.records);
  const follow = inBackground(log);
  let mentionDone: FollowMention = () =>
    Promise.reject(new Error('A mention arrived before anything follows.'));
  const changed = (mention: Mention) => follow(mentionDone('changed', mention));
  const mentions = createMentionStore({
    records: deps.records,
    versions,
    now: clock,
    log,
    pages,
    ownSites: own,
    blocks,
    blockApplied: changed,
  });
  const shared = { dir, fetch, now: clock, log, onRecovered };
  const forOwner = (mention: Mention) => ownerRecordOf(mention, own(), pages.titleOf(mention.target));
  const pictures = createMentionPictures({
    dir,
    fetch,
    log,
    now: clock,
    work: deps.work,
    pictures: deps.pictures,
    changed: () => versions.changed('pictures'),
  });

  const sender = createSender({
    records: deps.records,
    work: deps.work,
    fetch,
    now: clock,
    log,
    reading,
    base,
    allowPrivate,
    posts: finderOf(() => site?.senders),
    mayLeave: (path) => site?.mayLeave?.(path) ?? true,
    notYet: (webmention, signal) => deps.notYet(webmention, { fetch, reading }, signal),
    personUrl: (handle) => mentions.personUrl(handle),
    readLinks: deps.readLinks,
    crossPosting: {
      targets: deps.targets,
      isOwn: (url) => own().has(url),
      store: async (copy) => site?.storeCopy(copy),
    },
    events: {
      changed(delivery) {
        hub.emit('deliveries.changed', { source: delivery.source });
        arrivals.delivered(delivery);
      },
    },
  });

  /**
   * Called when a new response appears on a post's page. Because this changes the page, notifies the pages that the
   * post links to (Salmention).
   */
  async function notifyUpstream(mention: Mention): Promise<void> {
    // An import notifies nobody, also not when the owner approves its comments.
    if (mention.comment) return;
    const isOnPage = isShown(mention) && (await mentions.isLeading(mention.id));
    if (isOnPage) await sender.responseShown(mention);
  }

  const imported = (mention: Mention) => follow(mentionDone('imported', mention));
  const webmention = createWebmention({
    base,
    owned,
    mayDisclose,
    settings,
    blocks,
    fetch,
    reading,
    clock,
    log,
    records: deps.records,
    work: deps.work,
    reached: deps.reached,
    store: mentions,
    isManagementToken,
    isPost: async ({ href }) => {
      const post = await postOnPage(posts, base(), href);
      return post !== undefined && isOpen(post);
    },
    isPublicPage: async (url) => (await site?.isPublicPage(url)) ?? false,
    events: {
      received: (mention) => follow(mentionDone('received', mention)),
      changed,
      refused: (why) => arrivals.refused(why),
    },
  });

  let progress: ImportProgress | null = null;
  const importer = createImport({
    ...shared,
    records: deps.records,
    store: mentions,
    aggregatorUrl: () => settings().aggregatorUrl,
    statusOf: (mention, isLater) =>
      statusOfImported({ store: mentions, settings, ownSites: own }, mention, isLater),
    events: {
      progress(state) {
        progress = state;
        hub.emit('import.progress', state);
      },
      compared(words) {
        follow(activity.record('webmention.compared', words), 'an import could not be written down');
      },
      leftOut(words) {
        follow(activity.record('webmention.refused', words), 'an import could not be written down');
      },
    },
  });
  let end: () => void = () => undefined;
  const ended = new Promise<null>((resolve) => {
    end = () => resolve(null);
  });

  /** Imports the mentions that the aggregator has received since the last import, if the owner uses an aggregator. */
  async function catchUp(): Promise<void> {
    if (!settings().catchUp) return;
    // Reading the token may have to wait until somebody unlocks the keychain. Shutdown must not wait for that, so
    // `ended` ends the wait.
    const token = await Promise.race([secrets.get(aggregatorTokenName), ended]);
    if (token !== null) await importer.run({ token, fullAfterMs: comparedEveryMs });
  }

  /** Runs the work that became due while the computer slept or had no network. */
  function woke(): void {
    deps.work.wake();
    follow(catchUp(), 'what was due while the computer slept could not all be done');
  }
  let unwatch: () => void = () => undefined;

  return {
    routes: [
      ...webmention.routes,
      importRoutes({ isManagementToken, import: importer }),
      readingRoutes({ store: mentions, kept: deps.kept, base, mayDisclose, isManagementToken }),
      pictures.routes,
    ],
    handlers: {
      ...webmentionHandlers({
        mentions,
        blocks,
        webmention,
        sender,
        activity,
        changed,
        forOwner,
        ownerLooked: deps.ownerLooked,
        picture: (url, kind) => pictures.dataUrl(url, kind),
      }),
      ...mentionImportHandlers({
        mentions,
        importer,
        secrets,
        activity,
        forOwner,
        progress: () => progress,
      }),
      ...mentionExportHandlers({ mentions, dataDir, clock, activity }),
    },
    mentions,
    pictures,
    sender,
    imported,
    /** Does what follows a decision of the owner about a mention. */
    decided: changed,
    /** Receives a mention that the mailbox stored. */
    receiveKept: webmention.receiveKept,
    /** Returns the hosts on which pages can receive mentions. */
    targetHosts: () => targetHosts(owned()),
    /** Connects the posts and the site that receive mentions. Call it once, before `start`. */
    connect: (mentioned: MentionedSite) => void (site = mentioned),

    /** The steps of this part that follow a mention. */
    steps: {
      notifyOwner: (mention: Mention) => arrivals.received(forOwner(mention)),
      window: (mention: Mention, on: Parameters<FollowMention>[0]) =>
        hub.emit(on === 'received' ? 'webmention.received' : 'webmention.changed', forOwner(mention)),
      upstream: notifyUpstream,
      pictures: ({ facts: { author, photo = [] } }: Mention) =>
        Promise.all([pictures.request([author?.photo ?? '']), pictures.request(photo, 'photo')]),
    },
    /** Sets what follows a mention. Call it once, before `start`. */
    followedBy: (what: FollowMention) => void (mentionDone = what),

    /** Call this when the server may have a new address. */
    checkAddress: () => sender.checkAddress(),

    /**
     * Resumes the work that was pending when the service stopped. Fetches new mentions from the aggregator now and each
     * time the computer wakes up.
     */
    async start(): Promise<void> {
      unwatch = watchWaking({ now: clock, woke });
      // After a restore or a kill, the first answer takes longer. No visitor should have to wait for it.
      mentions.list({ limit: 1 }).catch(() => undefined);
      await deps.records.whenSound(async () => {
        await webmention.resume();
        await sender.start();
        await catchUp();
      });
    },

    wake: woke,

    async stop(): Promise<void> {
      unwatch();
      end();
      await importer.stop();
      await follow.finished();
      await sender.stop();
      await mentions.close();
    },
  };
}

export type Mentioning = ReturnType<typeof openMentioning>;
