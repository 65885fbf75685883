import type { LinkTag } from '../contract/reach.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { ownerTimeZone } from '../posts/date.ts';
import type { RenderMarkdown } from '../posts/post-reading.ts';
import { type Author, siteAuthor, type SiteView } from '../posts/rendering/author.ts';
import type { EmbeddedView } from '../posts/rendering/embedded.ts';
import { iconLinks, photoUrl, type ServedPhoto } from '../posts/rendering/icons.ts';
import type { MediaReader, ShownMedia } from '../posts/rendering/reader.ts';
import { richMarkup, richText } from '../posts/rendering/rich-text.ts';
import { feedsOf, homeList, type SiteList } from '../posts/rendering/site-list.ts';
import { asLink } from '../posts/values.ts';
import { overLimit } from '../untrusted/kinds.ts';
import type { Appearance } from './appearance.ts';

/** The data for the frame (header, navigation, footer) around every page of the site. */
export interface Frame extends SiteView {
  /** The link elements by which apps and sites discover this server. */
  readonly links: readonly LinkTag[];
  readonly info: SiteInfo;
  readonly appearance: Appearance;
}

interface Inside {
  readonly title: string;
  readonly main: Html;
  /** The page's own header. By default, the header is the site's name, linked to the home page. */
  readonly header?: Html;
  /** The page's canonical URL; absent if the page has none. */
  readonly canonical?: string;
  /** The page's path; absent if the navigation doesn't link to the page. */
  readonly path?: string;
  /** A description of the page for search engines and share previews. Defaults to the site's tagline. */
  readonly description?: string;
  /** The data for the page's share preview. */
  readonly preview?: {
    readonly title: string;
    readonly type: 'article' | 'profile';
    readonly picture?: string | undefined;
  };
  /** Additional elements for the head of this page. */
  readonly head?: Html;
  /** The list that the page shows, if it has feeds of its own. They come before those of the site. */
  readonly list?: SiteList;
}

/** The media types and names of the feed formats. */
export const feedNames = {
  atom: { type: 'application/atom+xml', words: 'Atom' },
  rss: { type: 'application/rss+xml', words: 'RSS' },
  json: { type: 'application/feed+json', words: 'JSON Feed' },
} as const;

/** Returns the links to the feeds of a list for a page's head. Feed readers offer the first one. */
const feedLinks = (list: SiteList): Html[] =>
  feedsOf(list).map(({ format, path }) => {
    const { type, words } = feedNames[format];
    const title = list.title === '' ? words : `${list.title} (${words})`;
    return html`<link rel="alternate" type="${type}" title="${title}" href="${path}">\n`;
  });

/** Returns the links to the feeds of a list, for people. */
const feedAnchors = (list: SiteList): Html[] =>
  feedsOf(list).map(({ format, path }) => {
    const { type, words } = feedNames[format];
    return html`<a href="${path}" type="${type}">${words}</a> `;
  });

/** Returns a complete page of the site, with a link to the home page, the navigation, and links to the feeds. */
export function framed(frame: Frame, inside: Inside): Page {
  const { links, base, appearance } = frame;
  const { title, main, header, canonical, path, head, list } = inside;
  return {
    title,
    style: appearance.style,
    mediaFrom: `'self' ${new URL(base).origin}`,
    head: html`${links.map(({ rel, href }) => html`<link rel="${rel}" href="${href}">\n`)}
${canonical === undefined ? null : html`<link rel="canonical" href="${canonical}">`}
${list && feedLinks(list)}${feedLinks(homeList)}
${framedHead(frame)}${previewTags(frame, inside)}${head}`,
    body: html`<a class="skip" href="#main">Skip to content</a>
<header class="column">${header ?? homeLink(frame)}${navigation(frame.info, path)}</header>
<main class="column" id="main">${main}</main>
<footer class="column">${list && html`<p>Feeds of <bdi>${list.title}</bdi>: ${feedAnchors(list)}</p>`}<p><a href="/subscribe">Subscribe to this site</a></p></footer>`,
  };
}

/** Returns the head elements by which browsers show whose page it is: the icons, and the colors around the page. */
export function framedHead({ info, appearance: { themeColours } }: Frame): Html {
  return html`${iconLinks(info.icon)}
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${themeColours.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${themeColours.dark}">
`;
}

/**
 * Returns the site's name with the owner's photo, linked to the home page. `embedded`: the photo, for a page that can't
 * load it.
 */
export function homeLink({ info, base }: Frame, embedded: ServedPhoto | null = null): Html {
  const { photo = '' } = info.author;
  const source = embedded ? photoUrl(embedded) : photo.startsWith(`${base}/`) ? photo : undefined;
  const picture =
    source !== undefined
      ? html`<img class="portrait" src="${source}" alt="" width="36" height="36">`
      : html`<span class="light" aria-hidden="true"></span>`;
  return html`<div class="owner"><a href="/">${picture}<bdi class="name">${info.name}</bdi></a></div>`;
}

function navigation({ pages }: SiteInfo, current: string | undefined): Html {
  const items = [
    { path: '/', words: 'Home' },
    ...pages.map(({ slug, title }) => ({ path: `/${slug}`, words: title })),
    { path: '/archive', words: 'Archive' },
    { path: '/search', words: 'Search' },
  ];
  return html`<nav aria-label="Site"><ul>${items.map(
    ({ path, words }) =>
      html`<li><a href="${path}"${path === current && html` aria-current="page"`} dir="auto">${words}</a></li> `,
  )}</ul></nav>`;
}

/** Returns the description of a page and its Open Graph tags (ogp.me). */
function previewTags({ info }: Frame, { title, description, canonical, preview }: Inside): Html {
  const about = description ?? info.tagline;
  const picture = preview?.picture ?? info.author.photo;
  return html`${
    about !== '' &&
    html`<meta name="description" content="${about}">
<meta property="og:description" content="${about}">
`
  }<meta property="og:title" content="${preview?.title ?? title}">
<meta property="og:type" content="${preview?.type ?? 'website'}">
<meta property="og:site_name" content="${info.name}">
${canonical === undefined ? null : html`<meta property="og:url" content="${canonical}">`}
${picture === undefined ? null : html`<meta property="og:image" content="${picture}">`}
`;
}

/**
 * Returns a page's Link header. It has one line per endpoint, and `rel` is the first parameter, because clients look
 * for this form.
 */
export function linkHeader(links: readonly LinkTag[]): string[] {
  return links.map(({ rel, href }) => `<${href}>; rel="${rel}"`);
}

/** The owner's settings and profile data that every page of the site shows. */
export interface SiteInfo {
  readonly author: Author;
  /** The site's name: its title, or else the owner's name. */
  readonly name: string;
  readonly tagline: string;
  /** The email address for replies, which is public; empty if there is none. */
  readonly replyEmail: string;
  readonly links: Settings['site']['links'];
  /** The pages that the owner wrote, such as About. */
  readonly pages: Settings['site']['pages'];
  /** The owner's time zone (an IANA name). */
  readonly zone: string;
  /** The version of the site's icon. */
  readonly icon: string;
}

/** Returns the settings and profile data that pages show. `photo`: the owner's photo; null if there is none. */
export function siteInfo(
  site: Settings['site'],
  {
    profile,
    photo,
    base,
  }: { readonly profile: Profile; readonly photo: Pick<ServedPhoto, 'name'> | null; readonly base: string },
): SiteInfo {
  const { photo: elsewhere, ...author } = siteAuthor(profile, base);
  const picture = photo === null ? elsewhere : `${base}/photo/${photo.name}`;
  return {
    author: { ...author, ...(picture !== undefined && { photo: picture }) },
    name: site.title === '' ? author.name : site.title,
    tagline: site.tagline,
    replyEmail: site.replyEmail,
    links: site.links.flatMap(({ label, url }) => {
      const address = asLink(url, base);
      return address === undefined ? [] : [{ label, url: address }];
    }),
    pages: site.pages,
    zone: ownerTimeZone(site),
    icon: photo?.name.slice(0, 16) ?? 'lamp',
  };
}

/**
 * Returns Markdown as sanitized HTML, with the pictures that are on this server. Markdown that takes too long to convert
 * is shown as plain text.
 */
export async function markdownMarkup(
  text: string,
  {
    base,
    media,
    markdown,
    pictures,
  }: Pick<EmbeddedView, 'base' | 'pictures'> & {
    readonly media: MediaReader;
    readonly markdown: RenderMarkdown;
  },
): Promise<Html | undefined> {
  if (text.trim() === '') return undefined;
  const parts = richText(await htmlOrText(text, markdown), base) ?? [];
  const found = new Map<string, ShownMedia>();
  for (const part of parts) {
    const shown = typeof part === 'string' ? undefined : await media.shown(part.url);
    if (typeof part !== 'string' && shown !== undefined) found.set(part.url, shown);
  }
  return richMarkup(parts, { base, pictures, shown: (url) => found.get(url) });
}

async function htmlOrText(text: string, markdown: RenderMarkdown): Promise<{ html: string } | string> {
  try {
    return { html: await markdown(text, 'The page') };
  } catch (error) {
    if (overLimit(error) === undefined) throw error;
    return text;
  }
}
