import { isWebUrl } from './found-post.ts';

/** Escapes the characters that have a special meaning in HTML. */
export const escapedHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

type ReplaceUrl = (url: string, tag: string) => string | undefined;

/** Replaces the URL in each `src` attribute of HTML. `replace`: returns the new URL; undefined to keep the old one. */
export const withSources = (html: string, replace: ReplaceUrl) =>
  withUrls(
    html,
    /<(?:img|video|audio|source)\b[^<>]{0,5000}>/gi,
    /(\ssrc\s*=\s*)(?:"([^"]*)"|'([^']*)')/i,
    replace,
  );

/** Replaces the URL of each link in HTML. `replace`: returns the new URL; undefined to keep the old one. */
export const withLinkUrls = (html: string, replace: ReplaceUrl) =>
  withUrls(html, /<a\b[^<>]{0,5000}>/gi, /(\shref\s*=\s*)(?:"([^"]*)"|'([^']*)')/i, replace);

function withUrls(html: string, tags: RegExp, attribute: RegExp, replace: ReplaceUrl): string {
  return html.replace(tags, (tag) =>
    tag.replace(attribute, (whole, start: string, ...found) => {
      const [double, single] = found as (string | undefined)[];
      const url = (double ?? single ?? '').replaceAll('&amp;', '&');
      const next = replace(url, tag);
      return next === undefined ? whole : `${start}"${escapedHtml(next)}"`;
    }),
  );
}

/** The elements that no page of Porchlight shows, with their names in the report. */
const unshown: Readonly<Record<string, string>> = {
  applet: 'an embedded object',
  object: 'an embedded object',
  embed: 'an embedded object',
  iframe: 'an embedded page',
  script: 'a script',
  canvas: 'a drawing by a script',
  svg: 'an SVG drawing',
  math: 'a formula in MathML',
  progress: 'a progress bar',
  meter: 'a progress bar',
  form: 'a form',
  input: 'a form field',
  select: 'a form field',
  textarea: 'a form field',
  button: 'a button',
};

/** Matches the start of an element that no page shows. */
export const startOfUnshown = new RegExp(`<(?:${Object.keys(unshown).join('|')})\\b`, 'i');

/** Returns the name of an element in the report, in words; undefined if pages may show the element. */
export const unshownWords = (name: string): string | undefined =>
  Object.hasOwn(unshown, name) ? unshown[name] : undefined;

/** Returns the URL in the `src` attribute of a tag; undefined if it has none. */
export function sourceIn(tag: string): string | undefined {
  const [, double, single] = /\ssrc\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/i.exec(tag.slice(0, 10_000)) ?? [];
  return (double ?? single)?.replace(/&(?:amp|#0?38);/g, '&');
}

/** The sites whose videos posts show: the form of a video's id, and the URL of its page without the id. */
export const videoSites = {
  youtube: { id: /^[\w-]{11}$/, page: 'https://www.youtube.com/watch?v=' },
  vimeo: { id: /^\d{1,20}$/, page: 'https://vimeo.com/' },
} as const;

/** Returns the URL of the page that a frame or a script shows, for a link to it; undefined if `src` isn't a web URL. */
export function framedPage(src: string | undefined): string | undefined {
  const address = src?.replace(/^\/\//, 'https://');
  if (!isWebUrl(address)) return undefined;
  const { hostname, pathname, href } = new URL(address);
  const [, id] = /^\/(?:embed|video|v)\/([\w-]+)/.exec(pathname) ?? [];
  if (/(?:^|\.)youtube(?:-nocookie)?\.com$/.test(hostname) && id !== undefined)
    return videoSites.youtube.page + id;
  if (hostname === 'player.vimeo.com' && id !== undefined) return videoSites.vimeo.page + id;
  return hostname === 'gist.github.com' ? href.replace(/\.js$/, '') : address;
}
