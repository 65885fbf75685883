import { inlineLinks, type PersonFinder } from '../inline-links.ts';

/** The characters that every Markdown engine reads as plain text after a backslash. */
const slashed = '\\*_`"\'-.=+#';

/** Characters that are markup only in pairs. The two characters of a pair can be on different lines of a paragraph. */
const paired = '~^$';

/**
 * Matches everything that goldmark (Hugo), kramdown (Jekyll), markdown-it (Eleventy), pulldown-cmark (Zola) or remark
 * (Astro) would treat as markup. Covers their extensions for quotes, mathematics, tables, emoji and links.
 */
const meaningful = new RegExp(
  [
    String.raw`^\d{1,9}[.)]|^[#+:=-]`,
    String.raw`[\\*_${'`'}"'<>[\]{}|~^$]`,
    String.raw`&(?=[#\p{L}])`,
    String.raw`([-.=])\1+|\+-|\+{2,}|,{2,}|[!?]{3,}`,
    String.raw`\((?=(?:c|r|tm|p)\))`,
    String.raw`:(?=[\w+-]+:)`,
    String.raw`(?<=[\p{L}\p{N}_.+-])@(?=[\p{L}\p{N}])`,
    String.raw`(?<=www)\.|(?<=https?|ftp):(?=\/\/)`,
  ].join('|'),
  'giu',
);

/**
 * Returns one line of text as Markdown that every Markdown engine renders as exactly that text. `isStart`: whether the
 * text begins a line. `paragraph`: the paragraph that contains the text.
 */
function markdownLine(text: string, { isStart = true, paragraph = text } = {}): string {
  const only = new Map<string, boolean>();
  const isOnly = (sign: string): boolean => {
    const known = only.get(sign) ?? paragraph.indexOf(sign) === paragraph.lastIndexOf(sign);
    only.set(sign, known);
    return known;
  };
  return text.replace(meaningful, (found: string, _run: unknown, offset: number) => {
    const last = found.slice(-1);
    if (offset === 0 && !isStart && /^(?:[#:=+-]|\d+[.)])$/.test(found)) return found;
    // A line that is only `^` ends a block in kramdown.
    if (paired.includes(last) && text !== '^' && isOnly(last)) return found;
    return /^\d/.test(found) ? found.slice(0, -1) + escaped(last) : Array.from(found, escaped).join('');
  });
}

function escaped(sign: string): string {
  if (slashed.includes(sign)) return `\\${sign}`;
  return { '<': '&lt;', '>': '&gt;', '&': '&amp;' }[sign] ?? `&#${sign.charCodeAt(0)};`;
}

/** Matches URLs that no Markdown engine changes: only ASCII, without characters that have a meaning near a link. */
const plainUrl = /^https?:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w.~!$&()+,;=:@/?#%-]*)?$/i;

/** The maximum length of a line, in characters. Some Markdown engines are too slow on longer lines. */
const longest = 100_000;

/**
 * Returns plain text as Markdown. As on a post's page, URLs and mentions of people whom the server knows become links.
 * Returns undefined if the text can't be written in a form that every Markdown engine understands.
 */
export function plainTextMarkdown(text: string, personUrl: PersonFinder): string | undefined {
  if (text.length > longest) return undefined;
  const lines = text.split('\n').map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ''));
  const paragraphs = lines
    .join('\n')
    .trim()
    .split(/\n{2,}/);
  const written = paragraphs.map((paragraph) => {
    const parts = paragraph.split('\n').map((line) => linkedLine(line, personUrl, { paragraph }));
    return parts.includes(undefined) ? undefined : parts.join('  \n');
  });
  return written.includes(undefined) ? undefined : written.join('\n\n');
}

/**
 * Returns a line of text, with its links, as Markdown; undefined if some Markdown engine can't read one of the links.
 */
export function linkedLine(
  line: string,
  personUrl: PersonFinder,
  { paragraph = line, isStart = true } = {},
): string | undefined {
  let written = '';
  let end = 0;
  const addText = (text: string): void => {
    written += markdownLine(text, { paragraph, isStart: isStart && written === '' });
  };
  for (const link of inlineLinks(line)) {
    const shown = line.slice(link.index, link.index + link.length);
    const url = link.kind === 'url' ? link.url : link.kind === 'person' ? personUrl(link.handle) : undefined;
    if (url === undefined) continue;
    addText(line.slice(end, link.index));
    const made = link.kind === 'url' ? autolink(url) : markdownLink(shown, url);
    if (made === undefined) return undefined;
    written = beforeLink(written) + made;
    end = link.index + link.length;
  }
  addText(line.slice(end));
  return written;
}

/** Returns a URL as an autolink (`<https://…>`); undefined if a Markdown engine could change it. */
export const autolink = (url: string) => (plainUrl.test(url) ? `<${url}>` : undefined);

/** Returns a Markdown link; undefined if a Markdown engine could change its URL. */
export const markdownLink = (text: string, url: string) =>
  plainUrl.test(url) ? `[${markdownLine(text, { isStart: false })}](<${url}>)` : undefined;

/**
 * Returns Markdown that can safely be followed by a link. A `!` directly before a link would turn it into a picture.
 */
export const beforeLink = (written: string) => written.replace(/!$/, '&#33;');
