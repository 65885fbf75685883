import type { Properties } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import { isOwn } from './rich-text.ts';
import { asLink, isRecord, shownLink, valuesOf } from './values.ts';

/**
 * Photos, videos and recordings. Only those kept on this site are shown; others are links, so that reading the page
 * tells nobody else. `most`: how many, where not all; the rest is counted.
 */
export function mediaMarkup(properties: Properties, base: string, most = Infinity): Html | null {
  const kinds = ['featured', 'photo', 'video', 'audio'] as const;
  const shown = kinds.flatMap((kind) =>
    valuesOf(properties, kind).flatMap((value) => {
      const url = asLink(value, base);
      return url === undefined ? [] : [mediumMarkup(kind, url, altOf(value), base)];
    }),
  );
  if (shown.length === 0) return null;
  const rest = shown.length - most;
  return html`<div class="${shown.length > 2 ? 'media many' : 'media'}">${shown.slice(0, most).map((one) => html`${one} `)}</div>
    ${rest > 0 && html`<p class="soft">and ${rest} more</p>`}`;
}

function mediumMarkup(kind: string, url: string, alt: string, base: string): Html {
  if (!isOwn(url, base))
    return html`<a class="u-${kind}" href="${url}" dir="auto">${alt === '' ? shownLink(url) : alt}</a>`;
  switch (kind) {
    case 'video':
      return html`<video class="u-video" src="${url}" controls preload="metadata"></video>`;
    case 'audio':
      return html`<audio class="u-audio" src="${url}" controls preload="metadata"></audio>`;
    default:
      return html`<img class="u-${kind}" src="${url}" alt="${alt}" loading="lazy">`;
  }
}

function altOf(value: unknown): string {
  const alt = isRecord(value) ? value['alt'] : undefined;
  return typeof alt === 'string' ? alt : '';
}
