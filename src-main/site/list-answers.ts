import type { Post } from '../contract/posts.ts';
import type { Making } from '../http/kept-answers.ts';
import { pageAnswer, redirectAnswer, type PublicAnswer } from '../http/public-answer.ts';
import type { Html } from '../http/html.ts';
import type { Pace } from '../platform/pace.ts';
import { isListed } from '../post/visibility.ts';
import { archivePage, categoriesPage, monthsMarkup } from './archive-page.ts';
import type { EntryView } from './entry.ts';
import { feedText } from './feeds/feed.ts';
import { feedNames, type Frame } from './frame.ts';
import { homePage, listPage, type ListView } from './list-page.ts';
import { listingOf, type Wanted } from './listing.ts';
import { firstStartPage } from './post-page.ts';
import { listedBy, type PostReader } from './reader.ts';
import { searchFormPage, searchQuery, searchResultsPage } from './search-page.ts';
import type { SiteFeed, SiteList } from './site-list.ts';

interface ListAnswersDeps {
  readonly posts: PostReader;
  /** Returns whether the owner has set up the server. */
  readonly isSetUp: () => boolean;
  readonly viewOf: (shown: readonly Post[], frame: Frame) => Promise<Frame & EntryView>;
  /** Makes the answer for an address at which there is nothing. */
  readonly nothing: (making: Making, frame: Frame) => Promise<PublicAnswer>;
  /** Returns what the owner says about themselves. */
  readonly about: (frame: Frame) => Promise<Html | undefined>;
  readonly listViewOf: (listed: readonly Post[], making: Making, frame: Frame) => Promise<ListView>;
}

const postsInFeed = 30;
const resultsOnPage = 20;

export type ListAnswers = ReturnType<typeof listAnswers>;

/** Makes the answers that show many posts: pages of lists, feeds, the archive, the categories and searches. */
export function listAnswers({ posts, isSetUp, viewOf, nothing, about, listViewOf }: ListAnswersDeps) {
  return {
    /** Returns a page of a list; 404 if the list has no posts. */
    async page(list: SiteList, wanted: Wanted, making: Making, frame: Frame): Promise<PublicAnswer> {
      const isHome = list.kind === 'home';
      if (isHome && !isSetUp()) return pageAnswer(firstStartPage(frame));
      const listing = await listingOf(posts, list, wanted, making.now);
      if (listing === null) return redirectAnswer(list.path, 302);
      if (!isHome && listing.items.length === 0) return nothing(making, frame);
      const view = await listViewOf(listing.items, making, frame);
      if (isHome) return pageAnswer(homePage(view, listing, await about(frame)));
      const { year } = list.filter;
      const months = year === undefined ? undefined : await posts.sizes('month', making.now);
      return pageAnswer(
        listPage(view, list, listing, year && months ? monthsMarkup(year, months) : undefined),
      );
    },

    /** Returns a page of a feed; 404 if its list has no posts, unless it is the feed of the home page. */
    async feed(
      feed: SiteFeed,
      after: string | undefined,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer> {
      const { list, format, path } = feed;
      const found = await posts.list({
        limit: postsInFeed,
        ...(after !== undefined && { after }),
        filter: { ...listedBy(making.now), ...list.filter },
      });
      const open = found.items.filter((post) => isListed(post, making.now));
      if (open.length === 0 && list.kind !== 'home') return nothing(making, frame);
      const at = (cursor: string | undefined) =>
        cursor === undefined ? undefined : `${path}?after=${encodeURIComponent(cursor)}`;
      const page = { feed, path: at(after) ?? path, next: at(found.after) };
      return {
        type: `${feedNames[format].type}; charset=utf-8`,
        text: feedText(page, open, await viewOf(open, frame)),
      };
    },

    async archive({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      const [months, kinds] = await Promise.all([posts.sizes('month', now), posts.sizes('kind', now)]);
      return pageAnswer(archivePage(frame, { months, kinds }));
    },

    async categories({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      return pageAnswer(categoriesPage(frame, await posts.sizes('category', now)));
    },

    /** Returns the results of a search, or only the form. `pace`: splits the search into pieces. */
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
