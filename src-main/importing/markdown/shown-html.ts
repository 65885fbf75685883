import { scanHtml } from '../../untrusted/pages/html-scan.ts';
import { escapedHtml } from '../html.ts';
import { framedPage, sourceIn, startOfUnshown, unshownWords } from '../unshown.ts';

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
  if (startOfUnshown.test(html))
    scanHtml(html, {
      element(name) {
        const what = unshownWords(name);
        if (what !== undefined) lost.add(what);
      },
    });
  return { html, lost: [...lost] };
}

/** Returns a link to the page in the `src` attribute of an element; the element itself if it has none. */
function linkTo(attributes: string, element: string): string {
  const page = framedPage(sourceIn(attributes));
  if (page === undefined) return element;
  const url = escapedHtml(page);
  return `<a href="${url}">${url}</a>`;
}
