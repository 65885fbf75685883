import MarkdownIt, {
  type MarkdownIt as MarkdownParser,
  type StateBlock,
  type StateCore,
  type Token,
} from 'markdown-it';
import { addFootnotes } from './footnotes.ts';
import { bareLinks, leadingLink, type BareLink } from './links.ts';
import { categoryPath, inlineLinks, nobody, type PersonFinder } from './inline-links.ts';

/** The maximum nesting depth of blocks. Each nested list counts twice: once for the list, and once for its item. */
const mostLevels = 100;
// Bare URLs are the same as in plain text. Only URLs with a scheme become links, because a sentence may contain
// `file.md` or `example.com`.
const asMatch = ({ url, index }: BareLink) => ({
  url,
  text: url,
  raw: url,
  schema: 'https:',
  index,
  lastIndex: index + url.length,
});

/** Creates a parser for CommonMark with footnotes. Bare URLs become links. */
function markdownParser(html: boolean): MarkdownParser {
  const markdown = new MarkdownIt({ html, linkify: true });
  addFootnotes(markdown);
  const tokenize = markdown.block.tokenize.bind(markdown.block);
  // markdown-it omits blocks that are nested too deeply, and all blocks after them. This override turns them into plain
  // text.
  markdown.block.tokenize = (state, line, end) => {
    if (state.level < mostLevels) tokenize(state, line, end);
    else addAsText(state, line, end);
  };
  Object.assign(markdown.linkify, {
    test: (text: string) => text.includes('://'),
    match: (text: string) => bareLinks(text).map(asMatch),
    matchAtStart(text: string) {
      const link = leadingLink(text);
      return link ? asMatch(link) : null;
    },
  });
  markdown.core.ruler.push('limited-addresses', limitAddresses);
  return markdown;
}

/** Shows HTML as text, so it can't add scripts. */
const markdown = markdownParser(false);
markdown.core.ruler.after('linkify', 'tags-and-people', linkTagsAndPeople);
const markdownWithHtml = markdownParser(true);

/**
 * Converts Markdown (CommonMark) to HTML, with bare URLs, #tags and @-mentions of known people as links. Pages still
 * sanitize this HTML, like all HTML of posts.
 */
export function markdownHtml(text: string, personUrl: PersonFinder = nobody): string {
  return markdown.render(text, { personUrl }).trim();
}

/**
 * Converts Markdown that contains HTML, as site generators do: the HTML stays as it is. Returns undefined if the text
 * contains no HTML. For imports only. Pages sanitize the result, like all HTML of posts.
 */
export function htmlOfMixedMarkdown(text: string): string | undefined {
  const env = {};
  const tokens = markdownWithHtml.parse(text, env);
  const isMixed = tokens.some(
    ({ type, children }) =>
      type === 'html_block' || (children ?? []).some((child) => child.type === 'html_inline'),
  );
  return isMixed ? markdownWithHtml.renderer.render(tokens, markdownWithHtml.options, env).trim() : undefined;
}

/** Adds a block that is nested too deeply as a single paragraph. */
function addAsText(state: StateBlock, line: number, end: number): void {
  const isInside = (at: number) => state.isEmpty(at) || (state.sCount[at] ?? 0) >= state.blkIndent;
  let next = line;
  while (next < end && isInside(next)) next += 1;
  state.push('paragraph_open', 'p', 1).map = [line, next];
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(line, next, state.blkIndent, false).trim();
  inline.map = [line, next];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = next;
}

/**
 * Removes the URLs and titles of links and images once all of them together are much longer than the text. Each
 * reference to one definition (`[a]: https://...`) repeats its URL, so a short text could become gigabytes of HTML.
 */
function limitAddresses(state: StateCore): void {
  // Percent-encoding makes a URL up to nine times longer.
  let room = 100_000 + 10 * state.src.length;
  for (const { children } of state.tokens)
    for (const token of children ?? []) {
      for (const [, value] of token.attrs ?? []) room -= String(value).length;
      if (room >= 0) continue;
      // markdown-it sets the alt attribute of an image later, and expects it in second place.
      token.attrs =
        token.type === 'image'
          ? [
              ['src', ''],
              ['alt', ''],
            ]
          : [];
    }
}

function linkTagsAndPeople(state: StateCore): void {
  const { personUrl } = state.env as { personUrl: PersonFinder };
  for (const block of state.tokens) {
    if (block.type !== 'inline' || !/[#@]/.test(block.content)) continue;
    let depth = 0;
    block.children = (block.children ?? []).flatMap((token) => {
      if (token.type === 'link_open') depth += 1;
      if (token.type === 'link_close') depth -= 1;
      return token.type === 'text' && depth === 0 ? linked(state, token, personUrl) : token;
    });
  }
}

function linked(state: StateCore, token: Token, personUrl: PersonFinder): Token[] {
  const parts: Token[] = [];
  let end = 0;
  const addText = (content: string): void => {
    if (content !== '')
      parts.push(Object.assign(new state.Token('text', '', 0), { content, level: token.level }));
  };
  for (const link of inlineLinks(token.content)) {
    const href =
      link.kind === 'tag'
        ? categoryPath(link.name)
        : link.kind === 'person'
          ? personUrl(link.handle)
          : undefined;
    if (href === undefined) continue;
    addText(token.content.slice(end, link.index));
    end = link.index + link.length;
    const open = new state.Token('link_open', 'a', 1);
    open.attrs = [['href', href], ...(link.kind === 'tag' ? [['rel', 'tag'] as [string, string]] : [])];
    parts.push(open);
    addText(token.content.slice(link.index, end));
    parts.push(new state.Token('link_close', 'a', -1));
  }
  addText(token.content.slice(end));
  return parts;
}
