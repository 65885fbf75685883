import path from 'node:path';
import type { Handlers, Result } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import { appOfToken, type Authorize, type Bearer } from '../http/bearer.ts';
import type { Common } from '../http/common.ts';
import { keepAnswers } from '../http/kept-answers.ts';
import { altIn, mediaPathOf } from '../media/media-address.ts';
import { mediaHandlers } from '../media/owner.ts';
import type { Media } from '../media/part.ts';
import { canonical } from '../platform/web-address.ts';
import { postUrl } from './address.ts';
import { ownerTimeZone } from './date.ts';
import { createFileCopies } from './file-copies.ts';
import { createFileEdits } from './file-edits.ts';
import { createFileReading, type FileReading } from './file-reading.ts';
import { createFollowing } from './following.ts';
import type { CitedPage, PersonFinder } from './links.ts';
import type { RenderMarkdown } from './post-reading.ts';
import type { Action } from './micropub/action.ts';
import { type ActionDeps, type DraftEdit, editDraft, perform } from './micropub/actions.ts';
import type { QueryDeps } from './micropub/queries.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import { micropubRoutes } from './micropub/routes.ts';
import { fileHandlers, itemOf, postHandlers } from './owner.ts';
import { writingHandlers } from './owner-writing.ts';
import { filesElsewhere } from './post-media.ts';
import type { AdoptedPost, AdoptedPosts, ChangedAdopted, ChangedPost, ChooseHome } from './post-store.ts';
import { postChanges } from './post-changes.ts';
import { createPostStore } from './stored-posts.ts';
import { createOwnDates } from './own-dates.ts';
import { namedMedia } from './rendering/media.ts';

/**
 * The kinds of changes to posts. `changed`: by the owner or an app. `imported`: by an import. `copied`: the post was
 * restored from its copy, or the URL of a copy elsewhere was stored. `live` and `quietlyLive`: its page is live on the
 * owner's own site, for the first time or again.
 */
type PostNews = 'changed' | 'imported' | 'copied' | 'live' | 'quietlyLive';
/** Does what follows a change to a post. Never rejects. */
export type FollowPost = (on: PostNews, change: ChangedPost) => Promise<void>;

interface PostsDeps extends Pick<
  Common,
  | 'dataDir'
  | 'versions'
  | 'work'
  | 'records'
  | 'log'
  | 'clock'
  | 'activity'
  | 'base'
  | 'onRecovered'
  | 'background'
  | 'changed'
> {
  readonly media: Media;
  readonly settings: () => Pick<Settings, 'micropub' | 'posting' | 'site'>;
  readonly authorize: Authorize;
  /** Converts the Markdown of the owner and of apps. */
  readonly markdown: RenderMarkdown;
  /** Finds the people whom posts mention. */
  readonly personUrl: PersonFinder;
  readonly homeChooser: () => ChooseHome | undefined;
  /** Called when posts have other addresses than before. */
  readonly addressesChanged: Parameters<typeof postChanges>[0]['addressesChanged'];
  /** The posts that were already in the folder of the owner's own site. */
  readonly adopted: AdoptedPosts;
  /** Does what follows an app's change to such a post. Never rejects. */
  readonly adoptedChanged: (told: ChangedAdopted) => Promise<void>;
  /** Returns the name of an app by Bearer.app. */
  readonly nameOfApp: (app: string) => string;
  /** Returns the name of the app that holds a permission. */
  readonly appName: (grantId: string) => string;
  /** Records the actions of apps in the activity list. */
  readonly apps: {
    readonly posted: (change: ChangedPost, appName: string) => Promise<void>;
    readonly editedFile: (post: AdoptedPost, appName: string) => Promise<void>;
  };
}

/** The part that shows the posts. It opens after this one. */
interface ShownPosts {
  /** Returns a post as the site shows it, without fetching anything. */
  readonly page: (post: Post) => Promise<Result<'posts.page'>>;
  /** Returns a post as the site shows it. */
  readonly preview: (post: Post) => Promise<Result<'posts.preview'>>;
  /** Returns what another site's page says about itself; undefined if it says nothing or can't be read. */
  readonly cited: (url: string) => Promise<CitedPage | undefined>;
}

/** The maximum size of the cached responses to Micropub queries, in bytes. */
const mostKeptQueries = 4_000_000;
/** The maximum number of posts that the window names for a file. */
const mostUses = 100;
/** How long a post's file in the folder waits for the versions of its pictures, in ms. */
const versionsPauseMs = 1000;

/** Opens the part of the service that stores posts, and lets the owner and apps write them. */
export function openPosts(deps: PostsDeps) {
  const { versions, log, clock, activity, base, settings, media, markdown, personUrl } = deps;
  let site: ShownPosts | undefined;
  function connected(): ShownPosts {
    if (site === undefined) throw new Error('The posts are used before they are connected.');
    return site;
  }
  let follow: FollowPost = () => Promise.reject(new Error('A post was changed before anything follows.'));
  const { records, work } = deps;
  const dir = path.join(deps.dataDir, 'posts');
  const changes = postChanges(deps);
  const copies = createFileCopies(dir, changes.reads, work);
  const files = createFileReading({
    dir,
    records,
    changes,
    copies,
    log,
    base,
    onRecovered: deps.onRecovered,
    changed: deps.changed,
  });
  const store = createPostStore({
    records,
    changes,
    copies,
    reading: files,
    base,
    homeChooser: deps.homeChooser,
  });
  const zone = () => ownerTimeZone(settings().site);

  /** Does what follows an update of a post. */
  const updated = (on: PostNews, post: Post, before?: Post): Promise<void> =>
    follow(on, { post, before, change: 'updated', url: postUrl(base(), post) });

  const following = createFollowing({
    posts: store,
    work,
    records,
    base,
    now: clock,
    follow: (change) => follow('changed', change),
  });
  const ownDates = createOwnDates({
    posts: following.posts,
    now: clock,
    zone,
    changed: (post, before) => updated('changed', post, before),
    background: deps.background,
  });
  const followed = (change: ChangedPost): Promise<void> => {
    ownDates.saw(change.post);
    return following.followed(change);
  };
  const readEdits = createFileEdits({ dir, changes, copies, files, posts: store, now: clock });
  const owned = {
    settings,
    personUrl,
    markdown,
    base,
    clock,
    zone,
    activity,
    posts: following.posts,
    changed: followed,
  };

  const made = { store, files, owned, updated, followed, following, connected, readEdits };
  const appDeps = depsOfApps(deps, made);
  const ofAssistants = postsOfAssistants({ ...appDeps, history: (at) => store.history(at) });

  return {
    store,
    ofAssistants,
    files,
    copies,
    zone,
    updated,
    /** Connects the site. Call it once, before `start`. */
    connect: (shown: ShownPosts) => void (site = shown),
    /** Sets what follows a change to a post. Call it once, before `start`. */
    followedBy: (what: FollowPost) => void (follow = what),

    routes: [
      micropubRoutes({
        ...appDeps,
        mostBytes: () => settings().micropub.mediaLimitBytes,
        kept: keepAnswers({ versions, now: clock, mostBytes: mostKeptQueries }),
        authorize: deps.authorize,
        keepFile: media.keep,
      }),
    ],
    handlers: ownerHandlers(deps, made),

    /** Queues copies of the files on other servers that posts show. `alsoDeleted`: see Copies. */
    copyFiles: (shownIn: readonly Post[], options?: { readonly alsoDeleted: boolean }): Promise<void> =>
      media.copies.request(
        shownIn.flatMap(({ properties }) => filesElsewhere(properties, base())),
        options,
      ),

    /** Waits a moment for the versions of a post's pictures, so that its file in the folder is written only once. */
    async picturesMade({ properties }: Post): Promise<void> {
      const paths = namedMedia(properties, base()).flatMap(({ url }) => mediaPathOf(url) ?? []);
      await Promise.all(paths.map((one) => media.versions.settled(one, versionsPauseMs)));
    },

    /** Checks the dates that nobody gave. Call it when the clock may have been set. */
    checkDates: (): void => ownDates.check(),
    start: (): void => ownDates.start(),
    stop(): void {
      ownDates.stop();
      files.close();
    },
  };
}

/** What the calls of apps and of the owner need of the opened posts. */
interface Made {
  readonly store: OwnerPostStore;
  readonly files: FileReading;
  readonly owned: Omit<Parameters<typeof writingHandlers>[0], 'preview' | 'cited'>;
  readonly updated: (on: PostNews, post: Post, before?: Post) => Promise<void>;
  /** Does what follows a change by the owner or an app. */
  readonly followed: (change: ChangedPost) => Promise<void>;
  readonly following: Pick<ReturnType<typeof createFollowing>, 'posts' | 'intend'>;
  /** Returns the part that shows the posts. */
  readonly connected: () => ShownPosts;
  readonly readEdits: ReturnType<typeof createFileEdits>;
}

/** Returns what apps need to see and change posts. */
function depsOfApps(deps: PostsDeps, { owned, followed, following }: Made): ActionDeps & QueryDeps {
  const { base, settings, clock, markdown, personUrl, apps, appName } = deps;
  return {
    base,
    posts: following.posts,
    adopted: deps.adopted,
    settings: () => settings().micropub,
    now: clock,
    zone: owned.zone,
    markdownApps: {
      has: (app) =>
        settings().posting.appsMarkdown.some((id) => app === canonical(id) || app === appOfToken(id)),
      toHtml: (text) => markdown(text, 'This text', personUrl),
    },
    appName,
    async changed(told, grantId) {
      const isRepeated = told.change === 'deleted' && told.before?.deletedAt !== null;
      await Promise.all([followed(told), isRepeated ? undefined : apps.posted(told, appName(grantId))]);
    },
    async adoptedChanged(told, grantId) {
      await Promise.all([deps.adoptedChanged(told), apps.editedFile(told.post, appName(grantId))]);
    },
  };
}

/** Returns how assistants change posts: they write Markdown, and their own drafts only. */
function postsOfAssistants(deps: ActionDeps & Pick<OwnerPostStore, 'history'>) {
  const inMarkdown = { ...deps, markdownApps: { ...deps.markdownApps, has: () => true } };
  return {
    perform: (action: Action, bearer: Bearer) => perform(inMarkdown, action, bearer),
    editDraft: (edit: DraftEdit, bearer: Bearer) => editDraft(inMarkdown, edit, bearer),
  };
}

/** Creates the handlers of the owner's calls. */
function ownerHandlers(
  deps: PostsDeps,
  { store, files, owned, updated, followed, following, connected, readEdits }: Made,
) {
  const { activity, base, clock, media } = deps;
  return {
    ...postHandlers({
      ...owned,
      nameOfApp: deps.nameOfApp,
      page: (post) => connected().page(post),
      copyRestored: (post) => updated('copied', post),
    }),
    ...writingHandlers({
      ...owned,
      preview: (post) => connected().preview(post),
      cited: (url) => connected().cited(url),
    }),
    ...fileHandlers(
      files.found,
      (order) => readEdits(order, following.intend),
      (change) => followed({ ...change, url: postUrl(base(), change.post) }),
      activity,
    ),
    ...mediaHandlers({
      media: media.store,
      shown: (url) => media.shown(url),
      versions: media.versions,
      changed: media.changed,
      async usesOf(file) {
        const { items } = await store.list({ limit: mostUses, filter: { uses: file } });
        return items.map((post) => ({
          post: itemOf(post, base(), clock()),
          alt: altIn(post.properties, file),
        }));
      },
      base,
      activity,
    }),
  } satisfies Partial<Handlers>;
}
