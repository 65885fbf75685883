import type { Post } from '../contract/posts.ts';
import type { Making, SharedAnswer } from '../http/kept-answers.ts';
import { pageAnswer, type PublicAnswer } from '../http/public-answer.ts';
import type { Html } from '../http/html.ts';
import type { Pace } from '../platform/pace.ts';
import { isListed } from '../posts/visibility.ts';
import { archivePage, categoriesPage, monthsMarkup } from './archive-page.ts';
import type { EntryView } from '../posts/rendering/entry.ts';
import { feedText } from './feeds/feed.ts';
import { feedNames, type Frame } from './frame.ts';
import { homePage, postListPage, type ListView } from './list-page.ts';
import { listingOf } from './listing.ts';
import { firstStartPage } from './post-page.ts';
import { listedBy, type PostReader } from '../posts/rendering/reader.ts';
import { searchFormPage, searchQuery, searchResultsPage } from './search-page.ts';
import type { SiteFeed, SiteList } from '../posts/rendering/site-list.ts';

interface ListAnswersDeps {
  readonly posts: PostReader;
  /** Returns whether the owner has set up the server. */
  readonly isSetUp: () => boolean;
  readonly viewOf: (shown: readonly Post[], frame: Frame) => Promise<Frame & EntryView>;
  /** Returns the page-not-found response. */
  readonly nothing: (frame: Frame) => SharedAnswer;
  /** Returns the owner's text about themselves. */
  readonly about: (frame: Frame) => Promise<Html | undefined>;
  readonly listViewOf: (listed: readonly Post[], making: Making, frame: Frame) => Promise<ListView>;
}

const postsInFeed = 30;
const resultsOnPage = 20;

export type ListAnswers = ReturnType<typeof listAnswers>;

/** Creates the functions that respond with many posts: lists, feeds, the archive, categories and searches. */
export function listAnswers({ posts, isSetUp, viewOf, nothing, about, listViewOf }: ListAnswersDeps) {
  return {
    /** Returns a page of a list, or a 404 response if the list has no posts. */
    async page(
      list: SiteList,
      after: string | undefined,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer | SharedAnswer> {
      const isHome = list.kind === 'home';
      if (isHome && !isSetUp()) return pageAnswer(firstStartPage(frame));
      const listing = await listingOf(posts, list, after, making.now);
      if (!isHome && listing.items.length === 0) return nothing(frame);
      const view = await listViewOf(listing.items, making, frame);
      if (isHome) return pageAnswer(homePage(view, listing, await about(frame)));
      const { year } = list.filter;
      // Only the first page shows the number of posts in each month, so that a new post doesn't change the other pages.
      const isFirst = listing.newer === undefined;
      const isIntroduced = year !== undefined && isFirst && posts.hasAll();
      const intro = isIntroduced ? monthsMarkup(year, await posts.sizes('month', making.now)) : undefined;
      return pageAnswer(postListPage(view, list, listing, intro));
    },

    /** Returns a page of a feed, or a 404 response if its list has no posts. The home page's feed can be empty. */
    async feed(
      feed: SiteFeed,
      after: string | undefined,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer | SharedAnswer> {
      const { list, format, path } = feed;
      const found = await posts.list({
        limit: postsInFeed,
        ...(after !== undefined && { after }),
        filter: { ...listedBy(making.now), ...list.filter },
      });
      const open = found.items.filter((post) => isListed(post, making.now));
      if (open.length === 0 && list.kind !== 'home') return nothing(frame);
      const at = (cursor: string | undefined) =>
        cursor === undefined ? undefined : `${path}?after=${encodeURIComponent(cursor)}`;
      const page = { feed, path: at(after) ?? path, next: at(found.after) };
      const { text, updated } = feedText(page, open, await viewOf(open, frame));
      return {
        type: `${feedNames[format].type}; charset=utf-8`,
        text,
        ...(updated > 0 && { headers: { 'last-modified': new Date(updated).toUTCString() } }),
      };
    },

    async archive({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      const [months, kinds] = await Promise.all([posts.sizes('month', now), posts.sizes('kind', now)]);
      return pageAnswer(archivePage(frame, { months, kinds }));
    },

    async categories({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      return pageAnswer(categoriesPage(frame, await posts.sizes('category', now)));
    },

    /**
     * Returns search results. For an empty or invalid query, returns only the search form. `pace`: divides the search
     * into small steps, so that other work can run between them.
     */
    async search(
      { q, after }: { q: unknown; after: string | undefined },
      pace: Pace,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer> {
      const query = searchQuery(q);
      const { texts, problem } = query;
      if (texts.length === 0)
        return pageAnswer(searchFormPage(frame, query), { status: problem === undefined ? 200 : 400 });
      const found = await posts.search({ texts, limit: resultsOnPage, after, now: making.now, pace });
      const items = found.items.filter((post) => isListed(post, making.now));
      const older =
        found.after === undefined
          ? {}
          : { older: `/search?${new URLSearchParams({ q: query.query, after: found.after }).toString()}` };
      const view = await listViewOf(items, making, frame);
      return pageAnswer(searchResultsPage(view, query, { items, ...older }));
    },

    nothing,
  };
}
