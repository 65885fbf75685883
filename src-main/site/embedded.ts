import { html, type Html } from '../http/html.ts';
import type { ShownMedia } from './reader.ts';

/** The file that may be shown for an address; undefined where there is none. */
export type Shown = (url: string) => ShownMedia | undefined;

/** A picture or a recording that a post names. */
export interface Embedded {
  readonly kind: 'img' | 'video' | 'audio';
  /** Absolute. */
  readonly url: string;
  /** The words that stand for it; empty where there are none. */
  readonly alt: string;
  /** As the post's own HTML wants it, in pixels. */
  readonly size?: Size | undefined;
}

interface Size {
  readonly width: string | number;
  readonly height: string | number;
}

/** What every browser shows in an img element. */
const pictures = ['png', 'apng', 'jpeg', 'gif', 'webp', 'avif', 'svg+xml'].map((name) => `image/${name}`);

/** The element that shows content of a type; undefined for what many browsers can not show (HEIC, say). */
export function elementFor(type: string): Embedded['kind'] | undefined {
  if (pictures.includes(type)) return 'img';
  if (type.startsWith('video/')) return 'video';
  return type.startsWith('audio/') ? 'audio' : undefined;
}

/**
 * A picture or recording on a page. Only what is kept here is shown, so that reading a page tells nobody else; what is
 * elsewhere is a link. A file of this server that is not there any more is the words that stand for it.
 * `className`: its property, where it is one.
 */
export function embeddedMarkup(
  embedded: Embedded,
  { base, shown }: { readonly base: string; readonly shown: Shown },
  className?: string,
): Html {
  const { url, alt } = embedded;
  const found = shown(url);
  if (!found)
    return isLost(url, base)
      ? html`${alt !== '' && html`<span dir="auto">${alt}</span>`}`
      : link(url, alt || url, className);
  const address = new URL(found.path, base).href;
  const element = elementFor(found.type);
  if (element === undefined)
    return link(address, `${alt || nameIn(address)} (${kindOfFile(found.type)})`, className);
  const { width, height } = embedded.size ?? found;
  const size = width === null || height === null ? null : html` width="${width}" height="${height}"`;
  const name = alt === '' ? null : html` aria-label="${alt}"`;
  // A browser that judges by this type would not even try, and most can play what is inside.
  const type = found.type === 'video/quicktime' ? null : html` type="${found.type}"`;
  const source = html`<source${classOf(className)} src="${address}"${type}>`;
  switch (element) {
    case 'img':
      return html`<img${classOf(className)} src="${address}" alt="${alt}"${size} loading="lazy">`;
    case 'video':
      return html`<video controls preload="metadata"${size}${name}>${source}</video>`;
    case 'audio':
      return html`<audio controls preload="metadata"${name}>${source}</audio>`;
  }
}

const link = (url: string, words: string, className: string | undefined): Html =>
  html`<a${classOf(className)} href="${url}" dir="auto">${words}</a>`;

const classOf = (className: string | undefined): Html | null =>
  className === undefined ? null : html` class="${className}"`;

/** True for an address among this server's files. */
function isLost(url: string, base: string): boolean {
  const { origin, pathname } = new URL(url);
  return origin === new URL(base).origin && pathname.startsWith('/media/');
}

const nameIn = (address: string) => new URL(address).pathname.split('/').at(-1) ?? '';

/** `image/heic` as people call it: `HEIC`. */
const kindOfFile = (type: string) => (type.split('/')[1] ?? type).toUpperCase();
