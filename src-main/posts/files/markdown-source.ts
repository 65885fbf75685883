import MarkdownIt, { type Token } from 'markdown-it';
import { addFootnotes } from '../footnotes.ts';
import type { PersonFinder } from '../inline-links.ts';
import { literal } from './clean.ts';
import { autolink, beforeLink, linkedLine, markdownLink } from './markdown-text.ts';

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
export function withPlainSigns(written: string): string {
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
