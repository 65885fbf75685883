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
