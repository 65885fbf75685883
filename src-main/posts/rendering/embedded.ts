import { html, type Html } from '../../http/html.ts';
import type { ShownMedia, ShownVersion } from './reader.ts';

/** Returns the file to show for a URL, or undefined if there is no such file. */
export type MediaLookup = (url: string) => ShownMedia | undefined;

/** The maximum number of files to look up for a page, which is more than any page needs. Further files become links. */
export const mostOnPage = 2000;

/** A picture or recording in a post. */
export interface Embedded extends PicturePlace {
  readonly kind: 'img' | 'video' | 'audio';
  /** The absolute URL of the picture or recording. */
  readonly url: string;
  /** The alt text; empty if there is none. */
  readonly alt: string;
  /** Whether the picture or recording is inside a link. */
  readonly isLinked?: boolean;
}

/** What the markup of pictures and recordings depends on. `base`: the public origin. */
export interface EmbeddedView {
  readonly base: string;
  readonly shown: MediaLookup;
  /** How to offer the versions of pictures. If absent, the markup names only the originals. */
  readonly pictures?: PictureUse | undefined;
}

/** The picture types that every browser shows in an img element. */
const pictures = ['png', 'apng', 'jpeg', 'gif', 'webp', 'avif', 'svg+xml'].map((name) => `image/${name}`);

/** Returns the HTML element that shows a media type; undefined if many browsers can't show it (such as HEIC). */
export function elementFor(type: string): Embedded['kind'] | undefined {
  if (pictures.includes(type)) return 'img';
  if (type.startsWith('video/')) return 'video';
  return type.startsWith('audio/') ? 'audio' : undefined;
}

/**
 * Returns the markup of a picture or recording. Shows only files on this server, so that a page loads nothing from
 * other servers. A file on another server becomes a link or, inside a link, text. A file that was deleted from this
 * server is replaced by its alt text. `className`: the microformats property, if any.
 */
function embeddedMarkup(
  embedded: Embedded,
  { base, shown, pictures }: EmbeddedView,
  className?: string,
): Html {
  const { url, alt, isLinked = false } = embedded;
  const found = shown(url);
  const linkTo = isLinked ? linkedWords : link;
  if (!found)
    return isLost(url, base)
      ? html`${alt !== '' && html`<span dir="auto">${alt}</span>`}`
      : linkTo(url, alt || url, className);
  const address = new URL(found.path, base).href;
  const element = elementFor(found.type);
  if (element === undefined)
    return linkTo(address, `${alt || nameIn(address)} (${kindOfFile(found.type)})`, className);
  const { width, height } = embedded.size ?? found;
  const size = width === null || height === null ? null : html` width="${width}" height="${height}"`;
  const name = alt === '' ? null : html` aria-label="${alt}"`;
  // Browsers don't try to play a source element with the type video/quicktime, although most of them could. So the type
  // is left out.
  const type = found.type === 'video/quicktime' ? null : html` type="${found.type}"`;
  const source = html`<source${classOf(className)} src="${address}"${type}>`;
  switch (element) {
    case 'img':
      return imageMarkup(embedded, found, { base, pictures }, className);
    case 'video':
      return html`<video controls preload="metadata"${size}${name}>${source}</video>`;
    case 'audio':
      return html`<audio controls preload="metadata"${name}>${source}</audio>`;
  }
}

/**
 * Returns the same markup as `embeddedMarkup`, but links a picture to its full-size version unless the picture is
 * already inside a link.
 */
export function openableMarkup(embedded: Embedded, view: EmbeddedView, className?: string): Html {
  const markup = embeddedMarkup(embedded, view, className);
  const found = view.shown(embedded.url);
  if (embedded.isLinked === true || !found || elementFor(found.type) !== 'img') return markup;
  const name = embedded.alt === '' && html` aria-label="Picture in full size"`;
  return html`<a href="${new URL(found.path, view.base).href}"${name}>${markup}</a>`;
}

/**
 * Returns the markup of a picture. `src` is the original, because microformats parsers take it as the photo's URL. A
 * browser that chooses a version from `srcset` doesn't load the original.
 */
function imageMarkup(
  embedded: Embedded,
  found: ShownMedia,
  { base, pictures }: Pick<EmbeddedView, 'base' | 'pictures'>,
  className: string | undefined,
): Html {
  const { alt } = embedded;
  const { src, srcset, width, height } = pictureSource(found, embedded, pictures);
  const at = (path: string) => new URL(path, base).href;
  const size = width === null || height === null ? null : html` width="${width}" height="${height}"`;
  const versions =
    srcset &&
    html` srcset="${srcset.files.map((one) => `${at(one.path)} ${one.width}w`).join(', ')}" sizes="${srcset.sizes}"`;
  const lazy = found.isFirst === true && pictures !== 'feed' ? null : html` loading="lazy"`;
  return html`<img${classOf(className)} src="${at(src)}" alt="${alt}"${versions}${size}${lazy}>`;
}

const link = (url: string, words: string, className: string | undefined): Html =>
  html`<a${classOf(className)} href="${url}" dir="auto">${words}</a>`;

/** Returns the words of a file inside a link. HTML has no links within links. */
const linkedWords = (_url: string, words: string): Html => html`<span dir="auto">${words}</span>`;

const classOf = (className: string | undefined): Html | null =>
  className === undefined ? null : html` class="${className}"`;

/** Returns whether a URL at which no file was found is a media URL of this server. If so, the file was deleted. */
function isLost(url: string, base: string): boolean {
  const { origin, pathname } = new URL(url);
  return origin === new URL(base).origin && pathname.startsWith('/media/');
}

const nameIn = (address: string) => new URL(address).pathname.split('/').at(-1) ?? '';

/** Returns the common name of a media type, such as `HEIC` for `image/heic`. */
const kindOfFile = (type: string) => (type.split('/')[1] ?? type).toUpperCase();

/**
 * How markup offers the versions of pictures. In a page: all of them, so that the browser chooses. `column`: the width
 * of the column of text in the page's style, as a list for the attribute `sizes`. In a feed: only one of moderate size,
 * because many feed readers know no `srcset`.
 */
type PictureUse = { readonly column: string } | 'feed';

/** How a picture is placed on a page. */
interface PicturePlace {
  /** The display size that the post's own HTML specifies, in pixels. */
  readonly size?: { readonly width: string | number; readonly height: string | number } | undefined;
  /**
   * The place among several files that a post shows in a grid of `columns`. `isWide`: whether it fills the first row on
   * narrow screens.
   */
  readonly cell?: { readonly columns: number; readonly isWide: boolean } | undefined;
}

/** The files that a browser can load for a picture. Widths and heights are in pixels. */
interface PictureSource {
  readonly src: string;
  readonly srcset?: { readonly files: readonly ShownVersion[]; readonly sizes: string };
  readonly width: number | string | null;
  readonly height: number | string | null;
}

/** The column of text of the built-in themes (see themes.ts), for `sizes`. */
export const themesColumn = '(max-width: 38.5rem) calc(100vw - 2.5rem), 36rem';
/** A column of unknown width. */
export const unknownColumn = '100vw';

const feedWidth = 960;
/** The width of the widest version. An original that is wider is offered by a link only. */
const widestVersion = 2000;

/** Returns the files that a page or feed offers for a picture. */
export function pictureSource(
  found: ShownMedia,
  { size, cell }: PicturePlace,
  use: PictureUse | undefined,
): PictureSource {
  const { path, versions = [] } = found;
  const { width, height } = size ?? found;
  const original = { src: path, width, height };
  if (use === undefined || versions.length === 0 || found.width === null || found.height === null)
    return original;
  if (use === 'feed') {
    const version = versions.findLast((one) => one.width <= feedWidth);
    if (version === undefined) return original;
    const scaled = { width: version.width, height: Math.round((found.height * version.width) / found.width) };
    return { src: version.path, ...(size ?? scaled) };
  }
  const hasWidest = versions.some((one) => one.width === widestVersion);
  const files = hasWidest ? versions : [...versions, { path, width: found.width }];
  const ratio = found.width / found.height;
  // Browsers show a picture with `srcset` as wide as `sizes` says if the style gives no width. So it must not be wider
  // than the picture.
  const most = [`${Number(size?.width ?? found.width)}px`];
  if (cell === undefined && size === undefined && ratio < 1) most.push(`${round(90 * ratio)}vh`);
  const list = cell ? cellSizes(cell, Math.max(1, ratio), use.column) : use.column;
  return {
    ...original,
    srcset: {
      files,
      sizes: list
        .split(', ')
        .map((one) => limited(one, most))
        .join(', '),
    },
  };
}

/** Returns `sizes` for a picture in a grid, whose cells show the middle of the picture. `ratio`: its width by its height. */
function cellSizes(
  { columns, isWide }: NonNullable<PicturePlace['cell']>,
  ratio: number,
  column: string,
): string {
  if (column === unknownColumn) return isWide ? column : `${round(50 * ratio)}vw`;
  const narrow = isWide ? 'calc(100vw - 2.5rem)' : `${round(45 * ratio)}vw`;
  return `(max-width: 30rem) ${narrow}, ${round((36 / columns) * ratio)}rem`;
}

/** Returns one part of `sizes` with limits for its length. A part is a length, or a condition and a length. */
function limited(part: string, most: readonly string[]): string {
  const [, condition = '', length = ''] = /^((?:\([^)]*\) )?)(.*)$/.exec(part) ?? [];
  return `${condition}min(${[length, ...most].join(', ')})`;
}

const round = (value: number) => Number(value.toFixed(1));
