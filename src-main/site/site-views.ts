import type { Post } from '../contract/posts.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import type { LinkTag } from '../contract/reach.ts';
import type { Making } from '../http/kept-answers.ts';
import { mentionsOf } from '../mentions/mention.ts';
import { nobody } from '../posts/links.ts';
import { isListed } from '../posts/visibility.ts';
import { plainCitations } from '../posts/rendering/citation.ts';
import {
  createContents,
  shownContent,
  type ShowContent,
  type Surroundings,
} from '../posts/rendering/contents.ts';
import { addressOf, type EntryView, shownTitle } from '../posts/rendering/entry.ts';
import { type Frame, siteInfo } from './frame.ts';
import type { ListView } from './list-page.ts';
import type { PostsBeside } from './post-page.ts';
import { keepingAppearance } from './appearance.ts';
import type { ServedPhoto } from '../posts/rendering/icons.ts';
import {
  listedBy,
  type MediaReader,
  type PostReader,
  type ResponseReader,
} from '../posts/rendering/reader.ts';
import { responseCounts, wordsOfCounts } from './responses.ts';
import { shownIn } from '../posts/rendering/media.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';

/**
 * The maximum number of characters in the cache of contents (about 16 MB). This is twice the size of a feed of long
 * articles.
 */
const keptCharacters = 12_000_000;

/** The data sources of the site's pages. */
export interface ViewDeps extends Surroundings {
  /** Makes the content of a post (default: shownContent, on this thread). */
  readonly makeContent?: ShowContent;
  readonly posts: PostReader;
  readonly media: MediaReader;
  readonly responses: ResponseReader;
  readonly profile: () => Profile;
  readonly settings: () => Settings['site'];
  /** Returns the uids of the owner's cross-posting targets (default: none). */
  readonly targets?: () => readonly string[];
  /** Returns the owner's photo for these settings; null if this server has no photo. */
  readonly photo: (site: Pick<Settings['site'], 'photo'>) => Promise<ServedPhoto | null>;
  /** Returns the links by which apps and sites discover this server. They must depend only on `base`. */
  readonly links: () => readonly LinkTag[];
  /**
   * Called with the URLs that a page's posts respond to, so that each cited page that isn't stored yet is fetched once.
   */
  readonly citedShown?: (urls: readonly string[]) => void;
}

/** The functions that read the data for the site's pages. */
export type SiteViews = ReturnType<typeof siteViews>;

/** Returns functions that read the data for the site's pages. */
export function siteViews(deps: ViewDeps) {
  const { posts, media, responses, profile, settings, links } = deps;
  const { personUrl = nobody, cited } = deps;
  const appearanceOf = keepingAppearance();
  const contentsOf = createContents({
    most: keptCharacters,
    personUrl,
    ...(cited && { cited }),
    ...(deps.makeContent && { make: deps.makeContent }),
  });

  /** Returns the data for the frame (header, navigation, footer) around every page. */
  async function frameOf(at: string, site = settings()): Promise<Frame> {
    const info = siteInfo(site, { profile: profile(), photo: await deps.photo(site), base: at });
    return {
      base: at,
      author: info.author,
      zone: info.zone,
      links: links(),
      info,
      appearance: appearanceOf(site),
    };
  }

  /** Makes an answer with the frame around it. Records in `making` what all pages show, and when the next post appears. */
  async function framedAnswer<T>(
    making: Making,
    at: string,
    make: (making: Making, frame: Frame) => Promise<T>,
  ): Promise<T> {
    making.shows('posts', 'media', 'profile', 'people', 'cited');
    const frame = await frameOf(at);
    const next = await posts.nextPublication(making.now);
    if (next !== undefined) making.until(next);
    return make(making, frame);
  }

  /** Returns the newest publicly listed posts. */
  async function newest(count: number, at: number): Promise<Post[]> {
    const { items } = await posts.list({ limit: count, filter: listedBy(at), isBegun: true });
    return items.filter((post) => isListed(post, at));
  }

  /** Returns all data for a page that shows these posts, so that the page can be written without waiting. */
  async function viewOf(shown: readonly Post[], frame: Frame): Promise<Frame & EntryView> {
    const made = await contentsOf(shown, frame.base);
    const lookup = await shownIn(shown, made, { base: frame.base, media });
    return {
      ...frame,
      shown: lookup,
      pictures: { column: frame.appearance.column },
      targets: deps.targets?.() ?? [],
      contentOf: (post) => made.get(post.path) ?? shownContent(post, frame.base, { personUrl }),
    };
  }

  /** Returns links to the posts beside a post; none if the post isn't in the list of all posts. */
  async function besideOf(post: Post, now: number, frame: Frame): Promise<PostsBeside> {
    if (!isListed(post, now)) return {};
    const { older, newer } = await posts.neighbours(post.path, now);
    const [before, after] = [older, newer].map((one) => (one && isListed(one, now) ? one : undefined));
    const made = await contentsOf(
      [before, after].filter((one) => one !== undefined),
      frame.base,
    );
    const contentOf = (one: Post) => made.get(one.path) ?? shownContent(one, frame.base, { personUrl });
    const linkTo = (one: Post) => ({
      url: addressOf(one, frame),
      title: excerpt(shownTitle(one, { base: frame.base, contentOf }), 80),
    });
    return { ...(before && { older: linkTo(before) }), ...(after && { newer: linkTo(after) }) };
  }

  /** Reads the responses to a post. Records in `making` that the page being made depends on these responses. */
  function responsesTo(post: Post, making: Making) {
    making.shows(mentionsOf(post.path));
    return responses.of(post);
  }

  /**
   * Requests copies of cited pages when a post is first shown. Imported posts can cite thousands of pages, so the
   * import itself doesn't fetch them.
   */
  function askForCited(shown: readonly Post[], frame: Frame): void {
    const urls = shown.flatMap(({ properties }) => plainCitations(properties, frame.base));
    if (urls.length > 0) deps.citedShown?.(urls);
  }

  async function listViewOf(listed: readonly Post[], making: Making, frame: Frame): Promise<ListView> {
    askForCited(listed, frame);
    const view = await viewOf(listed, frame);
    const responsesOfPosts = await Promise.all(listed.map((post) => responsesTo(post, making)));
    const echoes = new Map(
      listed.map(({ path }, index) => [path, wordsOfCounts(responseCounts(responsesOfPosts[index] ?? []))]),
    );
    return { ...view, echoOf: ({ path }) => echoes.get(path) };
  }

  return {
    frameOf,
    framedAnswer,
    newest,
    viewOf,
    besideOf,
    responsesTo,
    askForCited,
    listViewOf,
    contentsOf,
  };
}
