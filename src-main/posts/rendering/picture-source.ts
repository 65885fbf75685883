import type { ShownMedia, ShownVersion } from './reader.ts';

/**
 * How markup offers the versions of pictures. In a page: all of them, so that the browser chooses. `column`: the width
 * of the column of text in the page's style, as a list for the attribute `sizes`. In a feed: only one of moderate size,
 * because many feed readers know no `srcset`.
 */
export type PictureUse = { readonly column: string } | 'feed';

/** How a picture is placed on a page. */
export interface PicturePlace {
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
export const themesColumn = '(max-width: 42rem) calc(100vw - 2.5rem), 36rem';
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
