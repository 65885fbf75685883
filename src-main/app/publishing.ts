import type { Handlers } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import type { SitePage } from '../contract/site-settings.ts';
import { linkTagsOf } from '../address/public-address.ts';
import type { Authorize } from '../http/bearer.ts';
import type { Common } from '../http/common.ts';
import type { UploadedArchives } from '../importing/owner.ts';
import { openImporting } from '../importing/part.ts';
import type { MailboxPart } from '../mailbox/part.ts';
import type { MediaFile } from '../media/media-store.ts';
import { openMedia } from '../media/part.ts';
import { isShown } from '../mentions/mention.ts';
import type { Mentioning } from '../mentions/part.ts';
import { copyKeeping } from '../mentions/sending/copies.ts';
import { openPosts } from '../posts/part.ts';
import type { ChangedAdopted } from '../posts/post-store.ts';
import { isOpen } from '../posts/visibility.ts';
import type { AppActivity } from '../sign-in/owner.ts';
import type { SiteFolder } from '../site-folder/part.ts';
import type { OwnerPhoto } from '../site/owner-photo.ts';
import { openSite } from '../site/part.ts';
import type { CitedPagesDeps } from '../site/cited-pages.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { asChange } from './adopted-mentions.ts';
import { afterFiles, afterMentions, afterPosts } from './consequences.ts';
import type { DocumentReading } from './reading.ts';

interface PublishingDeps extends Omit<Common, 'version' | 'documents' | 'secrets' | 'allowPrivate'> {
  readonly photo: () => OwnerPhoto | null;
  /** The archives that the owner uploaded. */
  readonly transfers: UploadedArchives;
  readonly settings: () => Pick<Settings, 'micropub' | 'posting' | 'site'>;
  readonly authorize: Authorize;
  readonly pictures: Pictures;
  /** Reads a page that a post responds to, on another thread. */
  readonly readCited: CitedPagesDeps['read'];
  /** Converts long Markdown, and reads long posts, on other threads. */
  readonly parsing: Pick<DocumentReading, 'markdown' | 'posts'>;
  /** Returns the name of an app by Bearer.app. */
  readonly nameOfApp: (app: string) => string;
  /** Returns the name of the app that holds a permission. */
  readonly appName: (grantId: string) => string;
  /** Publishes to the folder of the owner's own site. */
  readonly folder: SiteFolder;
  /** Records the actions of apps in the activity list. */
  readonly apps: AppActivity;
  /** Provides the responses to posts, and notifies the sites that posts link to. */
  readonly mentioning: Mentioning;
  /** Replaces the pages of the site. */
  readonly replacePages: (pages: SitePage[]) => Promise<void>;
}

/** Opens posts, files, the site and the import of posts, and connects them and what follows a change. */
export function openPublishing(deps: PublishingDeps) {
  const { records, log, clock, base, settings, mentioning, folder, apps, appName } = deps;
  const { mentions, sender } = mentioning;
  const ofSite = deps.parsing.markdown('site');

  /** Notifies the pages that an adopted post links to, after an app has changed the post's file. */
  const adoptedChanged = (told: ChangedAdopted): Promise<void> =>
    asChange(told, clock(), ofSite)
      .then((change) => sender.postChanged(change))
      .catch((error: unknown) =>
        log.warn({ err: error, file: told.post.file }, 'what follows an edit could not be done'),
      );

  const media = openMedia({
    ...deps,
    settings: () => settings().micropub,
    deletedBy: (file, grantId) => apps.deletedFile(file, appName(grantId)),
  });
  const posts = openPosts({
    ...deps,
    media,
    markdown: deps.parsing.markdown('owner'),
    personUrl: (handle) => mentions.personUrl(handle),
    homeChooser: () => folder.homeChooser(),
    addressesChanged: (...changed) => mentions.addressesChanged(...changed),
    adopted: folder.adopted,
    adoptedChanged,
  });
  const site = openSite({
    ...deps,
    posts,
    media,
    markdown: ofSite,
    makeContent: deps.parsing.posts('site').content,
    links: () => [...linkTagsOf(base()), { rel: 'micropub_media', href: `${base()}/media` }],
  });
  posts.connect(site);
  const imports = openImporting({
    ...deps,
    posts: posts.store,
    media: media.store,
    mentions,
    zone: posts.zone,
    changed: (post, before) => posts.updated('imported', post, before),
    mentionAdded: (mention) => mentioning.imported(mention),
    mentionApproved: (mention) => mentioning.decided(mention),
    pages: { all: () => settings().site.pages, replace: deps.replacePages },
    isOnSite: (file) => JSON.stringify(settings().site).includes(file),
    uploads: deps.transfers,
  });
  folder.connect({
    mentions,
    posts: posts.store,
    media: media.store,
    mediaFile: media.fileAt,
    viewOf: (post) => posts.picturesMade(post).then(() => site.viewOf(post)),
    // Porchlight's own page of the post now redirects to the owner's site.
    live: (post, isNews) => deps.background(posts.updated(isNews ? 'live' : 'quietlyLive', post)),
    finished: () => sender.wake(),
  });

  return {
    routes: [...site.routes, ...posts.routes, ...media.routes],
    handlers: {
      ...posts.handlers,
      ...imports.handlers,
      ...folder.handlers(),
      ...site.handlers,
    } satisfies Partial<Handlers>,
    posts: posts.store,
    /** How assistants change posts and add files. */
    ofAssistants: posts.ofAssistants,
    uploads: media,
    uploaded: (file: MediaFile, grantId: string) => apps.uploadedFile(file, appName(grantId)),
    media: media.store,
    shown: media.shown,
    site,
    /** Stores the URL of the copy that a cross-posting service made of a post. */
    storeCopy: copyKeeping(posts.store, clock, (post, before) => posts.updated('copied', post, before)),

    /** Connects what follows a change to a post, a file or a mention. Call it once, before `start`. */
    connect: (mailbox: FollowingMailbox): void => connectFollowing(deps, { posts, media, site }, mailbox),

    /** Queues the copies and cited pages that posts lack after a restore, but no copies that were deleted. */
    async derive(restored: readonly Post[]): Promise<void> {
      await posts.copyFiles(restored, { alsoDeleted: false });
      await site.readCited(restored.filter(isOpen));
    },

    checkDates: posts.checkDates,
    /** Reads what the database has not read yet. Call it before the site opens, and after each repair. */
    readFiles: (): Promise<void> => posts.files.open(),
    filesFound: posts.files.found,
    /** Looks for files of posts that somebody edited. */
    lookAtFiles: (): Promise<unknown> => posts.files.look(),

    /** Resumes the work that was pending when the service stopped. */
    async start(): Promise<void> {
      folder.start();
      media.start();
      posts.start();
      await records.whenSound(() => site.start());
    },
    /** Stops imports and the conversion of pictures. Call it before the pictures are closed, and `stop` afterwards. */
    async interrupt(): Promise<void> {
      media.interrupt();
      await imports.stop();
    },
    async stop(): Promise<void> {
      posts.stop();
      await Promise.all([folder.stop(), site.stop()]);
      await media.stop();
    },
  };
}

type FollowingMailbox = Pick<MailboxPart, 'postChanged' | 'mediaDeleted' | 'mentionChanged'>;

/** Connects what follows a change to a post, a file or a mention. */
function connectFollowing(
  deps: PublishingDeps,
  {
    posts,
    media,
    site,
  }: {
    readonly posts: ReturnType<typeof openPosts>;
    readonly media: ReturnType<typeof openMedia>;
    readonly site: ReturnType<typeof openSite>;
  },
  mailbox: FollowingMailbox,
): void {
  const { log, hub, base, mentioning, folder } = deps;
  const { sender } = mentioning;
  posts.followedBy(
    afterPosts(log, {
      copyFiles: ({ post }) => posts.copyFiles([post]),
      readCited: ({ post }) => site.readCited([post]),
      prepare: ({ post }) => site.prepare(post),
      folder: (change) => folder.postChanged(change),
      mentions: (change) => sender.postChanged(change),
      mailbox: (change) => mailbox.postChanged(change),
      websub: (change) => site.websub.postChanged(change),
      isWaiting: (path) => folder.isWaiting(path),
      window: ({ url, change }) => hub.emit('post.changed', { url, change }),
    }),
  );
  media.followedBy(
    afterFiles(log, {
      pages: () => deps.versions.changed('media'),
      mailbox: ({ path, versions }) => mailbox.mediaDeleted(path, versions),
      // Not awaited: the list of posts may have to wait for the index.
      folder: ({ path }) => deps.background(folder.mediaChanged(path)),
      window: ({ path, change }) => hub.emit('media.changed', { url: new URL(path, base()).href, change }),
    }),
  );
  mentioning.followedBy(
    afterMentions(log, {
      ...mentioning.steps,
      folder: ({ target }) => folder.mentionChanged(target),
      mailbox: (mention, on) => mailbox.mentionChanged(mention.target, on === 'changed' && !isShown(mention)),
    }),
  );
}
