import { escapedHtml } from '../html.ts';
import { framedPage, sourceIn, unshownWords } from '../unshown.ts';
import { writtenHtml, linkTo } from './paragraphs.ts';
import { piecesOf, type Piece } from './pieces.ts';
import { withShortcodesReplaced, type Attachments } from './shortcodes.ts';

/** The HTML of a WordPress post, and what the post loses, in words for the report. */
export interface WordpressHtml {
  readonly html: string;
  readonly lost: readonly string[];
}

/**
 * Returns the HTML of a WordPress post as a page shows it: without editor comments, with paragraphs, and with HTML in
 * place of shortcodes. `post`: the post's ID. The time is proportional to the length of the HTML.
 */
export function wordpressHtml(stored: string, post: string, attachments: Attachments): WordpressHtml {
  const source = stored.replaceAll('\r\n', '\n');
  const isClassic = !source.includes('<!-- wp:');
  const lost: string[] = [];
  const html = withoutComments(source, lost).trim();
  const pieces = withoutFrames(piecesOf(html), lost);
  const written = withShortcodesReplaced(pieces, { html, post, attachments, lost });
  return { html: writtenHtml(written, { isClassic }), lost };
}

/** Removes comments. Some blocks consist of a comment only, because WordPress computes what they show. */
function withoutComments(html: string, lost: string[]): string {
  let clean = '';
  let at = 0;
  for (;;) {
    const start = html.indexOf('<!--', at);
    const end = start === -1 ? -1 : html.indexOf('-->', start + 4);
    if (end === -1) return clean + html.slice(at);
    clean += html.slice(at, start);
    at = end + 3;
    const block =
      html[end - 1] === '/' ? /^<!--\s{0,9}wp:([\w/-]{1,60})/.exec(html.slice(start, start + 80)) : null;
    if (block?.[1] !== undefined) lost.push(`the block “${block[1]}”`);
  }
}

/** Replaces embedded pages with links to them. Adds the elements that no page of Porchlight shows to `lost`. */
function withoutFrames(pieces: readonly Piece[], lost: string[]): Piece[] {
  return pieces.map((piece) => {
    if (piece.kind !== 'kept' && (piece.kind !== 'tag' || piece.isEnd)) return piece;
    const { name, source } = piece;
    const words = unshownWords(name);
    // Old pages have an embed element in each object element.
    if (words === undefined || name === 'object') return piece;
    const url = name === 'iframe' || name === 'embed' ? framedPage(sourceIn(source)) : undefined;
    if (url === undefined) lost.push(words);
    if (name !== 'iframe' && name !== 'embed') return piece;
    const link = url === undefined ? '' : linkTo(escapedHtml(url));
    return { kind: 'kept', name: 'span', source: link, isBlock: false };
  });
}
