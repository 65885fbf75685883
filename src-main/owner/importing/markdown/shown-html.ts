import { scanHtml } from '../../../http/strangers/html-scan.ts';
import { escapedHtml } from '../html.ts';

/** The elements that no page of Porchlight shows, with their names in the report. */
const removed: Readonly<Record<string, string>> = {
  script: 'a script',
  form: 'a form',
  object: 'an embedded object',
  embed: 'an embedded object',
  svg: 'an SVG drawing',
  canvas: 'a drawing by a script',
  iframe: 'an embedded page',
  math: 'a formula in MathML',
  progress: 'a progress bar',
  meter: 'a progress bar',
  input: 'a form field',
  select: 'a form field',
  textarea: 'a form field',
  button: 'a button',
};

const mayBeRemoved = new RegExp(`<(?:${Object.keys(removed).join('|')})\\b`, 'i');

/**
 * Returns HTML without the elements that pages never show. Embedded pages become links, and so do scripts that show a
 * gist. The content of noscript elements is shown, because posts have no scripts. `lost`: what is missing.
 */
export function shownHtml(given: string): { readonly html: string; readonly lost: readonly string[] } {
  const html = given
    .replace(/<iframe\b([^<>]{0,5000})>([^<]{0,1000})<\/iframe\s*>/gi, (whole, attributes: string) =>
      linkTo(attributes, whole),
    )
    .replace(/<script\b([^<>]{0,5000})>\s{0,100}<\/script\s*>/gi, (whole, attributes: string) => {
      if (/platform\.twitter\.com\/widgets\.js/.test(attributes)) return '';
      return /\/\/gist\.github\.com\//.test(attributes) ? linkTo(attributes, whole) : whole;
    })
    .replace(/<\/?noscript\b[^<>]{0,1000}>/gi, '');
  const lost = new Set<string>();
  if (mayBeRemoved.test(html))
    scanHtml(html, {
      element(name) {
        const what = Object.hasOwn(removed, name) ? removed[name] : undefined;
        if (what !== undefined) lost.add(what);
      },
    });
  return { html, lost: [...lost] };
}

/** Returns a link to the page in the `src` attribute of an element; the element itself if it has none. */
function linkTo(attributes: string, element: string): string {
  const [, double, single] = /\ssrc\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? [];
  const src = (double ?? single ?? '').replaceAll('&amp;', '&').replace(/^\/\//, 'https://');
  if (!/^https?:\/\//i.test(src) || !URL.canParse(src)) return element;
  const url = escapedHtml(pageOf(new URL(src)));
  return `<a href="${url}">${url}</a>`;
}

/** Returns the URL of the page from which an embedded page comes. */
function pageOf(url: URL): string {
  const [, video] = /^\/(?:embed|video)\/([\w-]+)$/.exec(url.pathname) ?? [];
  if (/(?:^|\.)youtube(?:-nocookie)?\.com$/.test(url.hostname) && video !== undefined)
    return `https://www.youtube.com/watch?v=${video}`;
  if (url.hostname === 'player.vimeo.com' && video !== undefined) return `https://vimeo.com/${video}`;
  return url.hostname === 'gist.github.com' ? url.href.replace(/\.js$/, '') : url.href;
}
