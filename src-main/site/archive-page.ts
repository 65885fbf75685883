import { postKindList, postKinds } from '../contract/post-kinds.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { ListSize } from '../posts/rendering/reader.ts';
import { categoryList, kindList, monthName, monthPath, yearPath } from '../posts/rendering/site-list.ts';
import { type Frame, framed } from './frame.ts';
import { searchForm } from './search-page.ts';

/** Returns the archive page: the years, months and kinds of posts, with the number of posts in each. */
export function archivePage(
  frame: Frame,
  { months, kinds }: { months: readonly ListSize[]; kinds: readonly ListSize[] },
): Page {
  const years = [...new Set(months.map(({ name }) => yearOf(name)))].sort().reverse();
  return framed(frame, {
    title: `Archive – ${frame.info.name}`,
    canonical: `${frame.base}/archive`,
    path: '/archive',
    main: html`<h1>Archive</h1>
      ${searchForm('')}
      ${years.length === 0 && html`<p class="soft">No posts yet.</p>`}
      ${years.map((year) => yearMarkup(year, months))}
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

/** Returns the months of a year with the number of posts in each, newest first. */
export function monthsMarkup(year: string, months: readonly ListSize[]): Html {
  const ofYear = months.filter(({ name }) => yearOf(name) === year);
  const newestFirst = ofYear.sort((a, b) => (a.name < b.name ? 1 : -1));
  return countsMarkup(
    newestFirst.map(({ name, count }) => ({ path: monthPath(name), name: monthName(name), count })),
  );
}

const yearOf = (month: string) => month.slice(0, 4);

function yearMarkup(year: string, months: readonly ListSize[]): Html {
  return html`<section>
    <h2><a href="${yearPath(year)}">${year}</a></h2>
    ${monthsMarkup(year, months)}
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

function countsMarkup(items: readonly { path: string; name: string; count: number }[]): Html {
  return html`<ul class="counts">
    ${items.map(
      ({ path, name, count }) =>
        html`<li><a href="${path}" dir="auto">${name}</a> <span class="soft">${count} ${count === 1 ? 'post' : 'posts'}</span></li> `,
    )}
  </ul>`;
}
