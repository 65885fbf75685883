/** Escapes the characters that have a special meaning in HTML. */
export const escapedHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Replaces the URL in each `src` attribute of HTML. `replace`: returns the new URL; undefined to keep the old one. */
export function withSources(html: string, replace: (url: string, tag: string) => string | undefined): string {
  return html.replace(/<(?:img|video|audio|source)\b[^<>]{0,5000}>/gi, (tag) =>
    tag.replace(/(\ssrc\s*=\s*)(?:"([^"]*)"|'([^']*)')/i, (whole, start: string, ...found) => {
      const [double, single] = found as (string | undefined)[];
      const url = (double ?? single ?? '').replaceAll('&amp;', '&');
      const next = replace(url, tag);
      return next === undefined ? whole : `${start}"${escapedHtml(next)}"`;
    }),
  );
}
