import type { Piece } from './pieces.ts';

const blocks = new Set(
  (
    'address article aside blockquote caption col colgroup dd details div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p section summary table tbody td tfoot th ' +
    'thead tr ul'
  ).split(' '),
);
const empty = new Set(['col', 'hr']);
/** The blocks in which a single paragraph needs no element of its own. */
const loose = new Set(
  'address article aside dd details div fieldset footer form header li main nav section td th'.split(' '),
);
/** Elements without text that a reader sees. */
const visible = new Set('audio img object picture svg video'.split(' '));
const deepestBlock = 100;

interface Part {
  readonly source: string;
  readonly kind: 'text' | 'break' | 'inline';
  readonly isShown: boolean;
  readonly isLinked: boolean;
}

/**
 * Returns the HTML of pieces. With `isClassic`, adds <p> and <br> elements, because WordPress's older editor stores
 * paragraphs only as blank lines. Turns a URL alone on its line into a link, because WordPress embeds its page.
 */
export function writtenHtml(pieces: readonly Piece[], { isClassic }: { isClassic: boolean }): string {
  const html: string[] = [];
  const open: string[] = [];
  let paragraphs: Part[][] = [[]];
  let links = 0;

  const newLine = () => {
    if (isClassic && open.length === 0 && html.length > 0) html.push('\n');
  };

  /** Ends the paragraphs before a block. */
  function end(): void {
    const filled = paragraphs.filter((parts) => parts.length > 0);
    const shown = filled.filter((parts) => parts.some(({ isShown }) => isShown)).length;
    const around = open.at(-1);
    const isWrapped =
      isClassic && (around === undefined || around === 'blockquote' || (loose.has(around) && shown > 1));
    for (const [index, parts] of filled.entries()) {
      const text = isClassic ? trimmed(parts) : parts;
      const isShown = text.some((part) => part.isShown);
      if (isClassic && index > 0 && isShown && !isWrapped) html.push(around === 'p' ? '</p>\n<p>' : '<br>\n');
      if (isWrapped && isShown) {
        newLine();
        if (index > 0 && open.length > 0) html.push('\n');
        html.push('<p>', inlineHtml(text, isClassic), '</p>');
      } else html.push(inlineHtml(isShown || !isClassic ? text : text.filter(isTag), isClassic));
    }
    paragraphs = [[]];
  }

  function addText(source: string): void {
    const isLinked = links > 0;
    const [first = '', ...others] = isClassic ? source.split(/\n[^\S\n]*\n\s*/) : [source];
    const add = (text: string) => {
      if (text !== '')
        paragraphs.at(-1)?.push({ source: text, kind: 'text', isShown: hasWords(text), isLinked });
    };
    add(first);
    for (const text of others) {
      paragraphs.push([]);
      add(text);
    }
  }

  function addBlockTag({ source, name, isEnd }: Extract<Piece, { kind: 'tag' }>): void {
    end();
    if (!isEnd) {
      newLine();
      html.push(source);
      if (!empty.has(name) && open.length < deepestBlock) open.push(name);
      return;
    }
    const place = open.lastIndexOf(name);
    // Browsers show an empty paragraph for an end tag without a start tag.
    if (place === -1 && name === 'p') return;
    if (place !== -1) open.length = place;
    html.push(source);
  }

  for (const piece of pieces) {
    if (piece.kind === 'tag' && blocks.has(piece.name)) addBlockTag(piece);
    else if (piece.kind === 'kept' && piece.isBlock) {
      end();
      newLine();
      html.push(piece.source);
    } else if (piece.kind === 'tag' || piece.kind === 'kept') {
      const { source, name } = piece;
      if (piece.kind === 'tag' && name === 'a') links = piece.isEnd ? Math.max(0, links - 1) : links + 1;
      const kind = name === 'br' ? 'break' : 'inline';
      const isShown = piece.kind === 'kept' || visible.has(name);
      paragraphs.at(-1)?.push({ source, kind, isShown, isLinked: links > 0 });
    } else addText(piece.source);
  }
  end();
  return html.join('').trim();
}

const isTag = ({ kind }: Part) => kind === 'inline';
const hasWords = (text: string) => text.replaceAll('&nbsp;', ' ').trim() !== '';

/** Removes the white space and line breaks at both ends of a paragraph. */
function trimmed(parts: readonly Part[]): Part[] {
  const isBlank = ({ kind, source }: Part) => kind === 'break' || (kind === 'text' && source.trim() === '');
  let [start, stop] = [0, parts.length];
  for (let part = parts[start]; part && isBlank(part); part = parts[start]) start += 1;
  for (let part = parts[stop - 1]; stop > start && part && isBlank(part); part = parts[stop - 1]) stop -= 1;
  return parts.slice(start, stop).map((part, index, { length }) => {
    if (part.kind !== 'text') return part;
    const source = index === 0 ? part.source.trimStart() : part.source;
    return { ...part, source: index === length - 1 ? source.trimEnd() : source };
  });
}

const lonelyUrl = /^\s*(https?:\/\/[^\s<>"'[\]]{1,4000})\s*$/;

function inlineHtml(parts: readonly Part[], hasBreaks: boolean): string {
  return parts
    .map(({ source, kind, isLinked }, index) => {
      if (kind !== 'text') return source;
      const [before, after] = [parts[index - 1]?.kind, parts[index + 1]?.kind];
      const lines = source.split('\n').map((line, at, { length }) => {
        const isAlone =
          !isLinked && (at > 0 || before !== 'inline') && (at < length - 1 || after !== 'inline');
        const url = isAlone ? lonelyUrl.exec(line)?.[1] : undefined;
        if (url !== undefined) return linkTo(url);
        if (!hasBreaks) return line;
        const start = at > 0 ? line.trimStart() : line;
        return at < length - 1 ? start.trimEnd() : start;
      });
      if (!hasBreaks) return lines.join('\n');
      // A line break next to a <br> is only white space.
      const start = lines.length > 1 && before === 'break' && lines[0] === '' ? 1 : 0;
      const isEnd = lines.length - start > 1 && after === 'break' && lines.at(-1) === '';
      const shown = lines.slice(start, isEnd ? -1 : undefined).join('<br>\n');
      return `${start > 0 ? '\n' : ''}${shown}${isEnd ? '\n' : ''}`;
    })
    .join('');
}

/** Returns a link to a URL that is written in HTML. */
export const linkTo = (url: string) => `<a href="${url}">${url}</a>`;
