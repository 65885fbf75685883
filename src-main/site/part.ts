import type { Handlers } from '../contract/contract.ts';
import { hasBridgyFed, type Post } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import type { Common } from '../http/common.ts';
import { mediaPathOf } from '../media/media-address.ts';
import type { Media } from '../media/part.ts';
import { shownMentions } from '../mentions/shown-mentions.ts';
import type { Mentioning } from '../mentions/part.ts';
import type { RenderMarkdown } from '../posts/post-reading.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { plainCitations } from '../posts/rendering/citation.ts';
import type { ShowContent } from '../posts/rendering/contents.ts';
import { iconRoutes, ownerPhotoRoute } from '../posts/rendering/icons.ts';
import type { PostReader } from '../posts/rendering/reader.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { createCitedPages, type CitedPagesDeps } from './cited-pages.ts';
import { createSitePhoto, type OwnerPhoto } from './owner-photo.ts';
import { siteHandlers } from './owner.ts';
import { createSite, type SiteDeps } from './site.ts';
import { createHub } from './websub/hub.ts';

interface SitePartDeps extends Pick<
  Common,
  'versions' | 'records' | 'work' | 'fetch' | 'kept' | 'reached' | 'log' | 'clock' | 'base' | 'profile'
> {
  readonly settings: () => Pick<Settings, 'micropub' | 'site'>;
  readonly posts: { readonly store: OwnerPostStore };
  readonly media: Pick<Media, 'store' | 'shown' | 'copies'>;
  readonly mentioning: Pick<Mentioning, 'mentions' | 'pictures'>;
  readonly pictures: Pick<Pictures, 'icon'>;
  /** Returns the photo in the owner's profile. */
  readonly photo: () => OwnerPhoto | null;
  /** Reads a page that a post responds to, on another thread. */
  readonly readCited: CitedPagesDeps['read'];
  /** Converts the Markdown of the owner's pages. */
  readonly markdown: RenderMarkdown;
  readonly makeContent: ShowContent;
  /** Returns the links of all pages, such as those to the endpoints. */
  readonly links: SiteDeps['links'];
}

/**
 * The maximum number of posts that WebSub announces together. If more posts become public, only the newest are
 * announced.
 */
const mostAnnounced = 100;

/** Returns the newest public posts that were published in a period. Times are in ms. */
async function publishedBetween(
  store: Pick<PostReader, 'list'>,
  after: number,
  by: number,
): Promise<readonly Post[]> {
  const filter = {
    status: 'published',
    visibility: 'public',
    publishedAfter: after,
    publishedBy: by,
  } as const;
  return (await store.list({ limit: mostAnnounced, filter })).items;
}

/** Opens the part of the service that shows the posts to the public: the pages, the feeds, and their WebSub hub. */
export function openSite(deps: SitePartDeps) {
  const { versions, records, work, fetch, log, clock, base, posts, media } = deps;
  const { mentions, pictures: faces } = deps.mentioning;
  const settings = () => deps.settings().site;
  const cited = createCitedPages({
    records,
    work,
    fetch,
    read: deps.readCited,
    changed: () => versions.changed('cited'),
  });
  const photo = createSitePhoto(deps.photo, media, versions);
  const site = createSite({
    ...deps,
    cited: (url) => cited.of(url),
    citedShown(urls) {
      cited
        .request(urls)
        .catch((error: unknown) => log.warn({ err: error }, 'cited pages could not be queued'));
    },
    posts: posts.store,
    personUrl: (handle) => mentions.personUrl(handle),
    media: { shown: media.shown },
    responses: {
      of: (post) => shownMentions(mentions, post.path),
      picture: (url, kind) => faces.shown(url, kind),
    },
    now: clock,
    settings,
    photo,
    targets: () => deps.settings().micropub.syndicateTo.map(({ uid }) => uid),
    isBridged: () => hasBridgyFed(deps.settings().micropub.syndicateTo),
  });
  const websub = createHub({
    records,
    work,
    reached: deps.reached,
    fetch,
    now: clock,
    log,
    address: () => `${base()}/websub`,
    site: {
      content: site.topic,
      topicsOf: site.topicsOf,
      nextPublication: (at) => posts.store.nextPublication(at),
      publishedBetween: (after, by) => publishedBetween(posts.store, after, by),
    },
  });

  /** If the photo that the owner chose for the site is on another server, copies it to this server. */
  async function copyPhoto(): Promise<void> {
    const { photo: url } = settings();
    if (URL.canParse(url) && mediaPathOf(url) === undefined) await media.copies.request([new URL(url).href]);
  }

  return {
    routes: [
      site.routes,
      websub.routes,
      ownerPhotoRoute(async () => [await photo(settings()), deps.photo()].filter((one) => one !== null)),
      iconRoutes(
        () => photo(settings()),
        (picture, edge) => deps.pictures.icon(picture, edge),
      ),
    ],
    handlers: siteHandlers(settings, site.previewSite) satisfies Partial<Handlers>,
    isPublicPage: site.isPublicPage,
    sendRest: site.sendRest,
    look: site.look,
    prepare: site.prepare,
    viewOf: site.viewOf,

    /** Returns a post as its own page shows it. */
    page: site.preview,
    /** Returns a preview of a post's own page. Reads the pages that the post cites first. */
    async preview(post: Post) {
      await cited.readNow(plainCitations(post.properties, base()));
      return site.preview(post);
    },

    /** Returns what another site's page says about itself. Fetches the page, unless it is known. */
    async cited(url: string) {
      await cited.readNow([url]);
      return cited.of(url);
    },

    /** Queues the pages that posts cite, to be read. */
    readCited: (citing: readonly Post[]): Promise<void> =>
      cited.request(citing.flatMap(({ properties }) => plainCitations(properties, base()))),
    copyPhoto,
    websub,

    async start(): Promise<void> {
      await websub.start();
      await copyPhoto();
    },
    stop: () => websub.stop(),
  };
}
