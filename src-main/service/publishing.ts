import path from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { Handlers } from '../contract/contract.ts';
import type { MediaChange } from '../contract/media.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import { createCopies } from '../media/copies.ts';
import { mediaEndpoint } from '../media/endpoint-routes.ts';
import { mediaPathOf, picturesElsewhere } from '../media/media-address.ts';
import { createMediaStore } from '../media/media-on-disk.ts';
import type { MediaFile, MediaStore } from '../media/media-store.ts';
import { mediaFiles } from '../media/serve-routes.ts';
import type { Authorize } from '../http/authorize.ts';
import { micropubRoutes } from '../micropub/routes.ts';
import type { PostStore } from '../micropub/post-store.ts';
import { createPostStore } from '../micropub/posts-on-disk.ts';
import type { Activity } from '../owner/activity.ts';
import type { AppActivity } from '../owner/app-activity.ts';
import type { EventHub } from '../owner/event-hub.ts';
import { mediaHandlers } from '../owner/media.ts';
import type { ChangedPost } from '../post/changed-post.ts';
import { postHandlers } from '../owner/posts.ts';
import type { OwnerPhoto } from '../owner/owner-photo.ts';
import { linkTagsOf } from '../owner/link-tags.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Mentioning } from './mentioning.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import { ownerPhotoRoute } from '../site/owner-photo.ts';
import { tellPublishers } from '../site/publisher.ts';
import type { MediaReader, ResponseReader } from '../site/reader.ts';
import { createSite } from '../site/site.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import type { Recovery } from '../storage/recovery.ts';
import { shownMentions } from '../mentions/shown-mentions.ts';

export interface PublishingDeps {
  readonly dataDir: string;
  readonly index: IndexDatabase;
  readonly onRecovered: (recovery: Recovery) => void;
  readonly log: Log;
  readonly clock: Clock;
  readonly hub: EventHub;
  readonly activity: Activity;
  readonly base: () => string;
  readonly profile: () => Profile;
  readonly photo: () => OwnerPhoto | null;
  readonly settings: () => Settings['micropub'];
  readonly authorize: Authorize;
  /** Returns the name of the app that holds a permission. */
  readonly appName: (grantId: string) => string;
  /** Records what apps do in the activity list. */
  readonly apps: AppActivity;
  readonly fetch: GuardedFetch;
  readonly pictures: Pictures;
  /** The responses to the posts, and the sender that notifies the sites that the posts link to. */
  readonly mentioning: Pick<Mentioning, 'mentions' | 'pictures' | 'sender'>;
}

/** The part of the service that handles posts. */
export interface Publishing {
  readonly routes: readonly FastifyPluginCallback[];
  readonly handlers: ReturnType<typeof postHandlers> & ReturnType<typeof mediaHandlers>;
  readonly posts: PostStore;
  readonly media: MediaStore;
  /** Returns the media file that a page shows for a URL: the owner's own file, or a local copy of a remote file. */
  readonly shown: MediaReader['shown'];
  /** Resolves with whether a page of the built-in site is public. */
  isPublicPage(url: URL): Promise<boolean>;
  /** Resumes the work that was pending when the service stopped. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Wires posts, files and the site, and forwards their events to each other. */
export function openPublishing(deps: PublishingDeps): Publishing {
  const {
    dataDir,
    index,
    onRecovered,
    log,
    clock,
    hub,
    activity,
    base,
    profile,
    settings,
    authorize,
    mentioning,
  } = deps;
  const posts = createPostStore({ dir: path.join(dataDir, 'posts'), index, onRecovered, log });
  const mediaDir = path.join(dataDir, 'media');
  const media = createMediaStore({
    dir: mediaDir,
    index,
    onRecovered,
    limitBytes: () => settings().mediaLimitBytes,
    removeMetadata: () => settings().removePhotoMetadata,
    pictures: deps.pictures,
    now: clock,
    log,
  });
  const copies = createCopies({
    dir: mediaDir,
    store: media,
    fetch: deps.fetch,
    now: clock,
    log,
    onRecovered,
  });

  /** Returns the file for a URL that a post uses: our own file, or our copy of a remote one. */
  async function shown(url: string): Promise<MediaFile | undefined> {
    const ours = mediaPathOf(url);
    if (ours !== undefined) return media.get(ours);
    return URL.canParse(url) ? copies.copyOf(new URL(url).href) : undefined;
  }

  const links = () => [...linkTagsOf(base()), { rel: 'micropub_media', href: `${base()}/media` }];
  const responses: ResponseReader = {
    of: (url) => shownMentions(mentioning.mentions, url),
    picture: (url) => mentioning.pictures.shown(url),
  };
  const site = createSite({ posts, media: { shown }, responses, profile, links, base, now: clock });
  const publishers = [site];

  /**
   * Does everything that follows a change to a post. Never rejects: the post is on disk, so the app that changed it
   * gets a success.
   */
  async function postChanged(told: ChangedPost): Promise<void> {
    const { post, before, change, url } = told;
    const pictures = post.deletedAt === null ? picturesElsewhere(post.properties, base()) : [];
    const done = await Promise.allSettled([
      copies.want(pictures),
      tellPublishers(publishers, { post, before, now: clock() }),
      mentioning.sender.postChanged(told),
    ]);
    for (const outcome of done) {
      if (outcome.status === 'rejected')
        log.warn(
          { err: outcome.reason as unknown, path: post.path },
          'what follows a post could not be done',
        );
    }
    hub.emit('post.changed', { url, change });
  }

  function mediaChanged({ path: file }: MediaFile, change: MediaChange['change']): void {
    hub.emit('media.changed', { url: new URL(file, base()).href, change });
  }

  const micropub = micropubRoutes({
    base,
    posts,
    settings,
    now: clock,
    authorize,
    async changed(told, grantId) {
      await postChanged(told);
      deps.apps.posted(told, deps.appName(grantId));
    },
    async keepFile(content, about) {
      const file = await media.add(content, about);
      mediaChanged(file, 'added');
      return {
        url: new URL(file.path, base()).href,
        async discard() {
          await media.delete(file.path);
          mediaChanged(file, 'deleted');
        },
      };
    },
  });

  return {
    routes: [
      site.routes,
      ownerPhotoRoute(deps.photo),
      micropub,
      mediaEndpoint({
        store: media,
        base,
        authorize,
        limitBytes: () => settings().mediaLimitBytes,
        changed: mediaChanged,
        deletedBy: (file, grantId) => deps.apps.deletedFile(file, deps.appName(grantId)),
        now: clock,
      }),
      mediaFiles({ store: media }),
    ],
    handlers: {
      ...postHandlers({ posts, base, clock, activity, changed: postChanged }),
      ...mediaHandlers({ media, posts, base, clock, activity, changed: mediaChanged }),
    } satisfies Partial<Handlers>,
    posts,
    media,
    shown,
    isPublicPage: (url) => site.isPublicPage(url),
    start: () => copies.resume(),
    async stop() {
      await copies.stop();
      await Promise.all([posts.close(), media.close()]);
    },
  };
}
