import { postKindList, postKinds } from '../contract/post-kinds.ts';
import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { addressOf } from '../posts/rendering/entry.ts';
import { dateMarkup } from '../posts/rendering/moment.ts';
import type { ListSize } from '../posts/post-store.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { oneLine, propertyText } from '../posts/values.ts';
import { publishedOf } from '../posts/visibility.ts';
import { categoryList, kindList, monthName, monthPath, yearPath } from '../posts/rendering/site-list.ts';
import { type Frame, framed } from './frame.ts';
import { searchForm } from './search-page.ts';

interface Archive {
  readonly months: readonly ListSize[];
  readonly kinds: readonly ListSize[];
  /** The newest articles, newest first. */
  readonly articles: readonly Post[];
}

/**
 * Returns the archive page: the years, months and kinds of posts, with the number of posts in each, and the titles of the
 * newest articles in their months.
 */
export function archivePage(frame: Frame, { months, kinds, articles }: Archive): Page {
  const years = [...new Set(months.map(({ name }) => yearOf(name)))].sort().reverse();
  return framed(frame, {
    title: `Archive – ${frame.info.name}`,
    canonical: `${frame.base}/archive`,
    path: '/archive',
    main: html`<h1>Archive</h1>
      ${searchForm('')}
      ${years.length === 0 && html`<p class="soft">No posts yet.</p>`}
      ${years.map((year) => yearMarkup(year, months, titlesIn(articles, frame)))}
      ${years.length > 0 && kindsMarkup(kinds)}
      ${years.length > 0 && html`<p><a href="/categories">All categories</a></p>`}`,
  });
}

/** Returns the page that lists all categories in alphabetical order. */
export function categoriesPage(frame: Frame, categories: readonly ListSize[]): Page {
  const compare = new Intl.Collator('en').compare;
  const sorted = [...categories].sort((a, b) => compare(a.name, b.name));
  return framed(frame, {
    title: `Categories – ${frame.info.name}`,
    canonical: `${frame.base}/categories`,
    main: html`<h1>Categories</h1>
      ${
        sorted.length === 0
          ? html`<p class="soft">No post has a category yet.</p>`
          : countsMarkup(sorted.map(({ name, count }) => ({ path: categoryList(name).path, name, count })))
      }`,
  });
}

/** Returns a function that returns the list of the articles of a month. */
const titlesIn =
  (articles: readonly Post[], { base, zone }: Frame) =>
  (month: string): Html | null => {
    const found = articles.filter(({ path }) => path.startsWith(monthPath(month)));
    if (found.length === 0) return null;
    const items = found.map((post) => {
      const published = publishedOf(post.properties, Date.parse(post.createdAt)).text;
      const title = excerpt(oneLine(propertyText(post.properties, 'name') ?? ''), 200);
      return html`<li><a href="${addressOf(post, { base })}" dir="auto">${title}</a> ${dateMarkup('', published, zone)}</li> `;
    });
    return html`<ul class="recent">${items}</ul>`;
  };

/**
 * Returns the months of a year with the number of posts in each, newest first. `more`: returns what to show below a
 * month.
 */
export function monthsMarkup(
  year: string,
  months: readonly ListSize[],
  more: (month: string) => Html | null = () => null,
): Html {
  const ofYear = months.filter(({ name }) => yearOf(name) === year);
  const newestFirst = ofYear.sort((a, b) => (a.name < b.name ? 1 : -1));
  return countsMarkup(
    newestFirst.map(({ name, count }) => ({
      path: monthPath(name),
      name: monthName(name),
      count,
      more: more(name),
    })),
  );
}

const yearOf = (month: string) => month.slice(0, 4);

function yearMarkup(year: string, months: readonly ListSize[], more: (month: string) => Html | null): Html {
  return html`<section>
    <h2><a href="${yearPath(year)}">${year}</a></h2>
    ${monthsMarkup(year, months, more)}
  </section>`;
}

function kindsMarkup(kinds: readonly ListSize[]): Html {
  const counts = new Map(kinds.map(({ name, count }) => [name, count]));
  const items = postKindList.flatMap((kind) => {
    const count = counts.get(kind);
    return count === undefined ? [] : [{ path: kindList(kind).path, name: postKinds[kind].plural, count }];
  });
  return html`<section>
    <h2>By kind</h2>
    ${countsMarkup(items)}
  </section>`;
}

function countsMarkup(
  items: readonly { path: string; name: string; count: number; more?: Html | null }[],
): Html {
  return html`<ul class="counts">
    ${items.map(
      ({ path, name, count, more }) =>
        html`<li><a href="${path}" dir="auto">${name}</a> <span class="soft">${count} ${count === 1 ? 'post' : 'posts'}</span>${more}</li> `,
    )}
  </ul>`;
}
