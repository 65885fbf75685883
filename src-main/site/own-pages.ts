import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { visibleText } from '../untrusted/pages/html-scan.ts';
import { oneLine } from '../posts/values.ts';
import { type Frame, framed, type SiteInfo } from './frame.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';

/**
 * The first path segments that the owner's pages can't use, because the paths of other routes begin with them, or because
 * they redirect to a feed. A test compares this list with the server's routes.
 */
export const reservedSlugs: readonly string[] = [
  'api',
  'archive',
  'auth',
  'categories',
  'clients',
  'feed',
  'import',
  'introspect',
  'kinds',
  'mcp',
  'media',
  'micropub',
  'phone',
  'photo',
  'posts',
  'process',
  'revoke',
  'rss',
  'search',
  'test-sign-in',
  'token',
  'userinfo',
  'webmention',
  'webmention-pictures',
  'webmentions',
  'websub',
];

/** Returns the owner's page at a path; undefined if there is no such page. */
export function ownPageAt(
  { pages }: Pick<SiteInfo, 'pages'>,
  path: string,
): SiteInfo['pages'][number] | undefined {
  return pages.find(({ slug }) => path === `/${slug}` && !reservedSlugs.includes(slug));
}

/** Returns the HTML page for a page that the owner wrote. `text`: the content as markup. */
export function ownPage(
  frame: Frame,
  { slug, title }: Pick<SiteInfo['pages'][number], 'slug' | 'title'>,
  text: Html | undefined,
): Page {
  const path = `/${slug}`;
  const words = excerpt(oneLine(visibleText(text?.markup ?? '')), 200);
  return framed(frame, {
    title: `${title} – ${frame.info.name}`,
    path,
    canonical: frame.base + path,
    ...(words !== '' && { description: words }),
    preview: { title, type: 'article' },
    main: html`<article class="own">
      <h1 dir="auto">${title}</h1>
      <div class="e-content" dir="auto">${text}</div>
    </article>`,
  });
}
