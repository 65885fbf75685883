import MarkdownIt, { type Token } from 'markdown-it';
import { inlineLinks, type PersonFinder } from '../links.ts';
import { addFootnotes } from '../markdown.ts';
import { literal } from './front-matter.ts';

/** The text of a post to write into a file. */
export interface PostSource {
  readonly text: string;
  readonly isMarkdown: boolean;
  /** The URLs of the people in the text, by handle. */
  readonly people: Readonly<Record<string, string>>;
  /** Whether quotes, dashes and dots must be protected from the generator (see withPlainSigns). */
  readonly hasPlainSigns: boolean;
}

/** Returns a post's text as Markdown that every generator renders in the same way; undefined if that isn't possible. */
export function postMarkdown({ text, isMarkdown, people, hasPlainSigns }: PostSource): string | undefined {
  const personUrl = (handle: string) => (Object.hasOwn(people, handle) ? people[handle] : undefined);
  const written = isMarkdown ? portableMarkdown(text, personUrl) : plainTextMarkdown(text, personUrl);
  return written !== undefined && hasPlainSigns ? withPlainSigns(written) : written;
}

/** A CommonMark parser that leaves bare URLs as text. In all other respects, it parses like the parser for posts. */
const markdown = new MarkdownIt({ html: false });
addFootnotes(markdown);

/**
 * Returns a post's Markdown in a form that the Markdown engines of all generators render in the same way. Supports
 * paragraphs, headings, emphasis, links, code, quotes and single-level lists. Returns undefined for Markdown with any
 * other element.
 */
export function portableMarkdown(source: string, personUrl: PersonFinder): string | undefined {
  const tokens = markdown.parse(source, {});
  const written = blocks(tokens, personUrl);
  return written !== undefined && shownBy(written) === shownBy(source) ? written : undefined;
}

/** Returns the HTML of some Markdown for comparison. A bare URL gives the same HTML, whether or not it is a link. */
function shownBy(text: string): string {
  return markdown
    .render(text)
    .replace(/<a href="([^"]*)">\1<\/a>/g, '$1')
    .replace(/<(\/?)h1>/g, '<$1h2>')
    .replace(/\s+/g, ' ');
}

function blocks(tokens: readonly Token[], personUrl: PersonFinder): string | undefined {
  const written: string[] = [];
  let before = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) break;
    const end = closing(tokens, at);
    const inside = tokens.slice(at + 1, end);
    // Refuses two lists in a row, because Markdown would merge them into one list.
    const block =
      before.endsWith('_list_open') && token.type.endsWith('_list_open')
        ? undefined
        : blockOf(token, inside, personUrl);
    if (block === undefined) return undefined;
    written.push(block);
    before = token.type;
    at = end;
  }
  return written.join('\n\n');
}

/** Returns the position of the token that closes the token at `at`; `at` itself if there is no closing token. */
function closing(tokens: readonly Token[], at: number): number {
  const open = tokens[at];
  if (open?.nesting !== 1) return at;
  return tokens.findIndex((token, index) => index > at && token.nesting === -1 && token.level === open.level);
}

function blockOf(token: Token, inside: readonly Token[], personUrl: PersonFinder): string | undefined {
  switch (token.type) {
    case 'paragraph_open':
      return inline(inside, '\n', personUrl);
    case 'heading_open': {
      // Headings in a post start at level 2, because the page's own heading has level 1.
      const level = Math.max(2, Number(token.tag.slice(1)));
      const text = inline(inside, ' ', personUrl, false);
      return text === undefined || /#\s*$/.test(text) || text.includes('\n')
        ? undefined
        : `${'#'.repeat(level)} ${text}`;
    }
    case 'blockquote_open': {
      if (inside.some(({ type }) => !['paragraph_open', 'inline', 'paragraph_close'].includes(type)))
        return undefined;
      return blocks(inside, personUrl)?.replace(/^/gm, '> ').replace(/^> $/gm, '>');
    }
    case 'bullet_list_open':
    case 'ordered_list_open':
      return list(token, inside, personUrl);
    case 'fence':
      return fence(token);
    case 'hr':
      return '* * *';
    default:
      return undefined;
  }
}

function list(token: Token, inside: readonly Token[], personUrl: PersonFinder): string | undefined {
  // A list that starts at another number isn't portable, because kramdown always numbers lists from 1.
  if (token.attrGet('start') !== null) return undefined;
  const mark = token.type === 'ordered_list_open' ? (index: number) => `${index + 1}. ` : () => '- ';
  const items: (string | undefined)[] = [];
  for (let at = 0; at < inside.length; at = closing(inside, at) + 1) {
    const [paragraph, ...rest] = inside.slice(at + 1, closing(inside, at));
    const isPlain = paragraph?.type === 'paragraph_open' && paragraph.hidden && rest.length === 2;
    const text = isPlain ? inline(rest.slice(0, 1), ' ', personUrl) : undefined;
    items.push(text === '' || text?.includes('\n') === true ? undefined : text);
  }
  return items.includes(undefined)
    ? undefined
    : items.map((text, index) => `${mark(index)}${text}`).join('\n');
}

/** Returns a code block; undefined if the code has braces, because some generators run shortcodes even in code. */
function fence({ content, info }: Token): string | undefined {
  const isPlain = !/[{}`]/.test(content) && content.trim() !== '' && /^\w*$/.test(info.trim());
  return isPlain ? `\`\`\`${info.trim()}\n${content.replace(/\n?$/, '\n')}\`\`\`` : undefined;
}

const emphasis: Readonly<Record<string, string>> = {
  strong_open: '**',
  strong_close: '**',
  em_open: '*',
  em_close: '*',
};

function inline(
  [block]: readonly Token[],
  lineBreak: string,
  personUrl: PersonFinder,
  startsLine = true,
): string | undefined {
  const children = block?.children ?? [];
  const paragraph = block?.content ?? '';
  let written = '';
  for (let at = 0; at < children.length; at += 1) {
    const token = children[at];
    if (!token) break;
    const isStart = written === '' ? startsLine : written.endsWith('\n');
    const sign = emphasis[token.type];
    let part: string | undefined;
    if (sign !== undefined) {
      // Refuses emphasis next to another asterisk, because Markdown engines disagree about how to read it.
      part = written.endsWith('*') && emphasis[children[at - 1]?.type ?? ''] !== undefined ? undefined : sign;
    } else if (token.type === 'text' || token.type === 'text_special') {
      part = linkedLine(token.content, personUrl, { paragraph, isStart });
    } else if (token.type === 'softbreak') part = lineBreak;
    else if (token.type === 'hardbreak') part = '  \n';
    else if (token.type === 'code_inline') part = inlineCode(token.content);
    else if (token.type === 'link_open') {
      const end = closing(children, at);
      part = link(token, children.slice(at + 1, end));
      written = beforeLink(written);
      at = end;
    }
    if (part === undefined) return undefined;
    written += part;
  }
  return written;
}

const inlineCode = (content: string) => (/[{}`|]|^\s|\s$/.test(content) ? undefined : `\`${content}\``);

function link(token: Token, inside: readonly Token[]): string | undefined {
  const url = String(token.attrGet('href') ?? '');
  if (token.attrGet('title') !== null || inside.some(({ type }) => !type.startsWith('text')))
    return undefined;
  const text = inside.map(({ content }) => content).join('');
  if (text === url) return autolink(url);
  return text.trim() === '' ? undefined : markdownLink(text, url);
}

/**
 * Returns portable Markdown in which each block with quotes, dashes or dots is written as HTML. In Markdown, Astro
 * replaces these characters with typographic ones, even if they are escaped.
 */
function withPlainSigns(written: string): string {
  const lines = written.split('\n');
  const starts = markdown.parse(written, {}).filter(({ level, map }) => level === 0 && map !== null);
  return starts
    .map(({ type, map }) => {
      const block = lines
        .slice(...(map ?? []))
        .join('\n')
        .trimEnd();
      const isChanged = type !== 'fence' && /["']|-\\?-|\.\s*\\?\.|`\\?`/.test(block);
      return isChanged ? literal(markdown.render(block).trim()) : block;
    })
    .join('\n\n');
}

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
const longestLine = 100_000;

/**
 * Returns plain text as Markdown. As on a post's page, URLs and mentions of people whom the server knows become links.
 * Returns undefined if the text can't be written in a form that every Markdown engine understands.
 */
function plainTextMarkdown(text: string, personUrl: PersonFinder): string | undefined {
  if (text.length > longestLine) return undefined;
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
function linkedLine(
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
const autolink = (url: string) => (plainUrl.test(url) ? `<${url}>` : undefined);

/** Returns a Markdown link; undefined if a Markdown engine could change its URL. */
const markdownLink = (text: string, url: string) =>
  plainUrl.test(url) ? `[${markdownLine(text, { isStart: false })}](<${url}>)` : undefined;

/**
 * Returns Markdown that can safely be followed by a link. A `!` directly before a link would turn it into a picture.
 */
const beforeLink = (written: string) => written.replace(/!$/, '&#33;');
