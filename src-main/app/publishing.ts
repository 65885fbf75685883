import path from 'node:path';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import type { Handlers } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { Settings, SitePage } from '../contract/settings.ts';
import { createCopies } from '../media/copies.ts';
import { mediaEndpoint } from '../media/media-endpoint.ts';
import { mediaPathOf, shownPicture, versionNameIn, versionPaths } from '../media/media-address.ts';
import { filesElsewhere } from '../posts/post-media.ts';
import { createMediaStore } from '../media/media-on-disk.ts';
import { createPictureVersions } from '../media/picture-versions.ts';
import { holdFileDeletions, type MediaFile } from '../media/media-store.ts';
import { mediaFiles } from '../media/serve-routes.ts';
import type { Authorize } from '../http/bearer.ts';
import { keepAnswers } from '../http/kept-answers.ts';
import { micropubRoutes } from '../posts/micropub/routes.ts';
import { createPostStore } from '../posts/posts-on-disk.ts';
import { holdPostDeletions } from '../posts/unsaved-deletions.ts';
import type { AppActivity } from '../sign-in/owner.ts';
import { mediaHandlers, postHandlers } from '../posts/owner.ts';
import type { ChangedPost } from '../posts/post-store.ts';
import { createImportRecords } from '../importing/import-records.ts';
import { postImports } from '../importing/owner.ts';
import { writingHandlers } from '../posts/owner-writing.ts';
import { createSitePhoto, type OwnerPhoto } from '../site/owner-photo.ts';
import { siteHandlers } from '../site/owner.ts';
import { linkTagsOf } from '../address/public-address.ts';
import { asChange } from './adopted-mentions.ts';
import { afterFiles, afterPosts, type ChangedFile, createFollowing } from './consequences.ts';
import { copyKeeping } from '../mentions/sending/copies.ts';
import type { Common } from '../http/common.ts';
import type { DocumentReading } from './reading.ts';
import type { Mentioning } from '../mentions/part.ts';
import type { SiteFolder } from '../site-folder/part.ts';
import { canonical } from '../platform/web-address.ts';
import { iconRoutes, ownerPhotoRoute } from '../posts/rendering/icons.ts';
import type { ResponseReader, ShownMedia } from '../posts/rendering/reader.ts';
import { createCitedPages, type CitedPagesDeps } from '../site/cited-pages.ts';
import { plainCitations } from '../posts/rendering/citation.ts';
import { postUrl } from '../posts/address.ts';
import { isOpen } from '../posts/visibility.ts';
import { ownerTimeZone } from '../posts/date.ts';
import { namedMedia } from '../posts/rendering/media.ts';
import { createSite } from '../site/site.ts';
import type { CopiedElsewhere } from '../mailbox/part.ts';
import type { Clock } from '../platform/clock.ts';
import { createHub } from '../site/websub/hub.ts';
import { shownMentions } from '../mentions/mention-store.ts';

interface PublishingDeps extends Omit<Common, 'version' | 'documents' | 'secrets' | 'allowPrivate'> {
  readonly photo: () => OwnerPhoto | null;
  readonly settings: () => Pick<Settings, 'micropub' | 'posting' | 'site'>;
  readonly authorize: Authorize;
  readonly pictures: Pictures;
  /** Reads a page that a post responds to, on another thread. */
  readonly readCited: CitedPagesDeps['read'];
  /** Converts long Markdown on other threads. */
  readonly parsing: Pick<DocumentReading, 'markdown'>;
  /** Returns the name of the app that holds a permission. */
  readonly appName: (grantId: string) => string;
  /** Returns the trusted time, which ignores implausible jumps of the computer's clock. */
  readonly trustedClock: Clock;
  /** Publishes to the folder of the owner's own site. */
  readonly folder: SiteFolder;
  /** Records the actions of apps in the activity list. */
  readonly apps: AppActivity;
  /** Provides the responses to posts, and notifies the sites that posts link to. */
  readonly mentioning: Pick<Mentioning, 'mentions' | 'pictures' | 'sender' | 'isBlocked' | 'imported'>;
  /** Replaces the pages of the site. */
  readonly replacePages: (pages: SitePage[]) => Promise<void>;
}

/**
 * The maximum number of posts that WebSub announces together. If more posts become public, only the newest are
 * announced.
 */
const mostAnnounced = 100;
/** How long the publishing of a post to the folder waits for the versions of its pictures, in ms. */
const versionsPauseMs = 1000;
/** The maximum size of the cached responses to Micropub queries, in bytes. */
const mostKeptQueries = 4_000_000;

/** Opens the part of the service that handles posts, files and the site. */
export function openPublishing(deps: PublishingDeps) {
  const { dataDir, index, records, onRecovered, log, clock, hub, activity, base, profile } = deps;
  const { settings, authorize, mentioning, folder, endings } = deps;
  const { markdown } = deps.parsing;
  let copied: CopiedElsewhere = {
    postChanged: () => Promise.resolve(),
    mediaDeleted: () => Promise.resolve(),
  };
  const { versions } = index;
  const posts = holdPostDeletions(
    createPostStore({
      dir: path.join(dataDir, 'posts'),
      index,
      onRecovered,
      log,
      chooseHome: deps.folder.chooseHome,
      progressed: deps.changed,
      addressesChanged: (addresses) => mentioning.mentions.addressesChanged(addresses),
    }),
    {
      endings,
      versions,
      saved: (post, before) =>
        deps.background(postChanged({ post, before, change: 'deleted', url: postUrl(base(), post) })),
    },
  );
  /** The posts for visitors and apps, whose lists don't wait. */
  const soon = { ...posts, ...posts.soon };
  const onDisk = { dir: path.join(dataDir, 'media'), now: clock, log, onRecovered };
  const limitBytes = () => settings().micropub.mediaLimitBytes;
  const removeMetadata = () => settings().micropub.removePhotoMetadata;
  const { pictures } = deps;
  const pictureVersions = createPictureVersions({
    dir: onDisk.dir,
    pictures,
    log,
    store: createMediaStore({ ...onDisk, records, versions, pictures, limitBytes, removeMetadata }),
    made: (file, isNew) => deps.background(versionsMade(file, isNew)),
  });
  const media = holdFileDeletions(pictureVersions.store, {
    endings,
    versions,
    saved: (file) => deps.background(mediaChanged(file, 'deleted')),
  });
  const copies = createCopies({
    work: deps.work,
    store: media,
    fetch: deps.fetch,
    changed: () => index.versions.changed('media'),
  });

  /**
   * Returns the media file that a page shows for a media URL in a post. The file is the owner's own file, or a local
   * copy of a file on another server.
   */
  async function shown(url: string): Promise<(MediaFile & ShownMedia) | undefined> {
    const ours = mediaPathOf(url);
    const file =
      ours === undefined
        ? URL.canParse(url)
          ? await copies.copyOf(new URL(url).href)
          : undefined
        : await media.get(ours);
    return file && { ...file, ...shownPicture(file, await pictureVersions.of(file)) };
  }

  const links = () => [...linkTagsOf(base()), { rel: 'micropub_media', href: `${base()}/media` }];
  const responses: ResponseReader = {
    of: (post) => shownMentions(mentioning.mentions, post.path),
    picture: (url) => mentioning.pictures.shown(url),
  };
  const personUrl = (handle: string) => mentioning.mentions.personUrl(handle);
  const citedPages = createCitedPages({
    records,
    work: deps.work,
    fetch: deps.fetch,
    read: deps.readCited,
    changed: () => index.versions.changed('cited'),
  });
  const sitePhoto = createSitePhoto({
    profilePhoto: deps.photo,
    shown,
    versions: index.versions,
    thumbnail: (file) => media.thumbnail(file),
  });
  const siteSettings = () => settings().site;
  const zone = () => ownerTimeZone(siteSettings());

  /** If the photo that the owner chose for the site is on another server, copies it to this server. */
  async function copySitePhoto(): Promise<void> {
    const { photo } = siteSettings();
    if (URL.canParse(photo) && mediaPathOf(photo) === undefined) await copies.request([new URL(photo).href]);
  }

  const site = createSite({
    cited: (url) => citedPages.of(url),
    citedShown(urls) {
      citedPages
        .request(urls)
        .catch((error: unknown) => log.warn({ err: error }, 'cited pages could not be queued'));
    },
    posts: soon,
    waitingPosts: posts,
    personUrl,
    media: { shown },
    responses,
    kept: deps.kept,
    profile,
    links,
    base,
    now: clock,
    settings: siteSettings,
    photo: sitePhoto,
    markdown: markdown('site'),
    targets: () => settings().micropub.syndicateTo.map(({ uid }) => uid),
  });
  const websub = createHub({
    records: deps.records,
    work: deps.work,
    reached: deps.reached,
    fetch: deps.fetch,
    now: clock,
    leaseNow: deps.trustedClock,
    log,
    address: () => `${base()}/websub`,
    site: {
      content: (topic) => site.topic(topic),
      topicsOf: (post) => site.topicsOf(post),
      nextPublication: (at) => posts.nextPublication(at),
      async publishedBetween(after, by) {
        const filter = {
          status: 'published',
          visibility: 'public',
          publishedAfter: after,
          publishedBy: by,
        } as const;
        return (await posts.list({ limit: mostAnnounced, filter })).items;
      },
    },
  });

  const postDone = afterPosts(log, {
    copyFiles: ({ post }) => copies.request(filesElsewhere(post.properties, base())),
    readCited: ({ post }) => citedPages.request(plainCitations(post.properties, base())),
    prepare: ({ post }) => site.prepare(post),
    folder: (change) => folder.postChanged(change),
    mentions: (change) => mentioning.sender.postChanged(change),
    mailbox: (change) => copied.postChanged(change),
    websub: (change) => websub.postChanged(change),
    isWaiting: (path) => folder.isWaiting(path),
    window: ({ url, change }) => hub.emit('post.changed', { url, change }),
  });
  function postChanged(change: ChangedPost): Promise<void> {
    return postDone('changed', change);
  }
  const updated = (post: Post, before?: Post): ChangedPost => ({
    post,
    before,
    change: 'updated',
    url: postUrl(base(), post),
  });

  const fileDone = afterFiles(log, {
    pages: () => versions.changed('media'),
    mailbox: ({ path: file, versions: others = [] }) => copied.mediaDeleted(file, others),
    // Not awaited: the list of posts may have to wait for the index.
    folder: ({ path: file }) => deps.background(folder.mediaChanged(file)),
    window: ({ path: file, change }) =>
      hub.emit('media.changed', { url: new URL(file, base()).href, change }),
  });
  function mediaChanged({ path: file }: MediaFile, change: ChangedFile['change']): Promise<void> {
    return fileDone(change, { path: file, change, versions: versionPaths(file) });
  }
  function versionsMade({ path: file }: MediaFile, isNew: boolean): Promise<void> {
    return fileDone(isNew ? 'newlyConverted' : 'converted', { path: file, change: 'converted' });
  }

  /** Waits a moment for the versions of a post's pictures, so that its file in the folder is written only once. */
  async function versionsOf(post: Post): Promise<void> {
    const paths = namedMedia(post.properties, base()).flatMap(({ url }) => mediaPathOf(url) ?? []);
    await Promise.all(paths.map((one) => pictureVersions.settled(one, versionsPauseMs)));
  }

  /** Returns the local path of a file or of a version of a picture. */
  async function mediaFile(mediaPath: string): Promise<string | undefined> {
    const version = versionNameIn(mediaPath);
    const file = await media.get(version?.original ?? mediaPath);
    if (file === undefined || version === undefined) return file && media.fileOf(file);
    const exists = (await pictureVersions.of(file)).includes(version.ending);
    return exists ? pictureVersions.fileOf(file, version.ending) : undefined;
  }

  /** Queues the copies and cited pages that posts lack, but no copies that were deleted. */
  async function derive(restored: readonly Post[]): Promise<void> {
    await copies.request(
      restored.flatMap(({ properties }) => filesElsewhere(properties, base())),
      { alsoDeleted: false },
    );
    await citedPages.request(
      restored.filter(isOpen).flatMap(({ properties }) => plainCitations(properties, base())),
    );
  }

  const imports = postImports({
    posts,
    media,
    base,
    hub,
    activity,
    now: clock,
    zone,
    changed: (post, before) => postDone('imported', updated(post, before)),
    mentions: mentioning.mentions,
    isBlocked: mentioning.isBlocked,
    mentionAdded: mentioning.imported,
    pages: { all: () => siteSettings().pages, replace: deps.replacePages },
    isOnSite: (file) => JSON.stringify(siteSettings()).includes(file),
    imports: createImportRecords(deps.records, clock),
  });
  folder.connect({
    posts,
    media,
    mediaFile,
    mentions: mentioning.mentions,
    async viewOf(post) {
      await versionsOf(post);
      return site.viewOf(post);
    },
    // Porchlight's own page of the post now redirects to the owner's site.
    live: (post, isNews) => deps.background(postDone(isNews ? 'live' : 'quietlyLive', updated(post))),
    finished: () => mentioning.sender.wake(),
  });

  const storeCopy = copyKeeping({
    posts,
    clock,
    changed: (post, before) => postDone('copied', updated(post, before)),
  });

  const following = createFollowing({
    posts,
    work: deps.work,
    base,
    now: clock,
    follow: postChanged,
  });
  const owned = {
    settings,
    personUrl,
    markdown: markdown('owner'),
    base,
    clock,
    zone,
    activity,
    posts: following.posts,
    changed: following.followed,
  };
  const micropub = micropubRoutes({
    base,
    posts: { ...following.posts, ...posts.soon },
    adopted: folder.adopted,
    kept: keepAnswers({ versions: index.versions, now: clock, mostBytes: mostKeptQueries }),
    settings: () => settings().micropub,
    now: clock,
    zone,
    authorize,
    markdownApps: {
      has: (app) => settings().posting.appsMarkdown.some((id) => canonical(id) === app),
      toHtml: (text) => markdown('owner')(text, 'This text', personUrl),
    },
    appName: deps.appName,
    async changed(changedPost, grantId) {
      await following.followed(changedPost);
      const isRepeated = changedPost.change === 'deleted' && changedPost.before?.deletedAt !== null;
      if (!isRepeated) deps.apps.posted(changedPost, deps.appName(grantId));
    },
    async adoptedChanged(changedPost, grantId) {
      deps.apps.editedFile(changedPost.post, deps.appName(grantId));
      await asChange(changedPost, clock(), markdown('site'))
        .then((change) => mentioning.sender.postChanged(change))
        .catch((error: unknown) =>
          log.warn({ err: error, file: changedPost.post.file }, 'what follows an edit could not be done'),
        );
    },
    async keepFile(content, about) {
      const file = await media.add(content, about);
      await mediaChanged(file, 'added');
      return {
        url: new URL(file.path, base()).href,
        async discard() {
          await media.delete(file.path);
          await mediaChanged(file, 'deleted');
        },
      };
    },
  });

  return {
    routes: [
      site.routes,
      websub.routes,
      ownerPhotoRoute(async () =>
        [await sitePhoto(siteSettings()), deps.photo()].filter((photo) => photo !== null),
      ),
      iconRoutes({
        photo: () => sitePhoto(siteSettings()),
        draw: (picture, edge) => pictures.icon(picture, edge),
      }),
      micropub,
      mediaEndpoint({
        store: media,
        base,
        authorize,
        limitBytes,
        changed: mediaChanged,
        now: clock,
        deletedBy: (file, grantId) => deps.apps.deletedFile(file, deps.appName(grantId)),
      }),
      mediaFiles({ store: media, versions: pictureVersions }),
    ],
    handlers: {
      ...postHandlers({
        ...owned,
        copyRestored: (post) => postDone('copied', updated(post)),
      }),
      ...writingHandlers({
        ...owned,
        async preview(post) {
          await citedPages.readNow(plainCitations(post.properties, base()));
          return site.preview(post);
        },
      }),
      ...imports.handlers,
      ...folder.handlers(),
      ...siteHandlers({
        settings: siteSettings,
        preview: (requested, page) => site.previewSite(requested, page),
      }),
      ...mediaHandlers({
        media,
        posts,
        base,
        clock,
        activity,
        changed: mediaChanged,
        versions: pictureVersions,
      }),
    } satisfies Partial<Handlers>,
    /** Connects the part that copies the site to the mailbox. Call it once, before `start`. */
    connect: (copies: CopiedElsewhere) => void (copied = copies),
    posts,
    media,
    shown,
    /** Resolves to true if a page of the built-in site is public. */
    isPublicPage: (url: URL) => site.isPublicPage(url),
    sendRest: site.sendRest,
    copySitePhoto,
    derive,
    storeCopy,
    /** Accepts a WebSub request that the mailbox stored. */
    requestKept: (...request: Parameters<typeof websub.requestKept>) => websub.requestKept(...request),
    /** Resumes the work that was pending when the service stopped. */
    async start(): Promise<void> {
      folder.start();
      pictureVersions.start();
      await websub.start();
      await copySitePhoto();
    },
    /** Runs the work that became due while the computer slept or had no network. */
    wake(): void {
      websub.wake();
    },
    /** Stops imports and the conversion of pictures. Call it before the pictures are closed, and `stop` afterwards. */
    async interrupt(): Promise<void> {
      pictureVersions.interrupt();
      await imports.stop();
    },
    async stop(): Promise<void> {
      // Closing the posts stops the comparison of a new index with many documents, for which other parts may be waiting.
      await Promise.all([folder.stop(), websub.stop(), posts.close()]);
      await pictureVersions.stop();
      await media.close();
    },
  };
}

export type Publishing = ReturnType<typeof openPublishing>;
