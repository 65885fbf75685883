import MarkdownIt, {
  type MarkdownIt as MarkdownParser,
  type StateBlock,
  type StateCore,
  type StateInline,
  type Token,
} from 'markdown-it';
import {
  type BareLink,
  bareLinks,
  categoryPath,
  inlineLinks,
  leadingLink,
  nobody,
  type PersonFinder,
} from './links.ts';

/** The maximum length of a label, so that the search for its end takes little time. */
const longestLabel = 100;
/** The maximum number of references. More of them stay text, because each one becomes about 100 characters of HTML. */
const mostReferences = 1000;

/** The footnotes of one text. */
interface Footnotes {
  /** The labels of all notes. */
  readonly labels: Set<string>;
  /** The notes with references, in the order of the first references. `turns`: how many references a note has. */
  readonly references: Map<string, { readonly number: number; turns: number }>;
  total: number;
}

const key = Symbol('footnotes');

function footnotesIn({ env }: StateBlock | StateInline | StateCore): Footnotes {
  const known = env[key] as Footnotes | undefined;
  if (known) return known;
  const none: Footnotes = { labels: new Set(), references: new Map(), total: 0 };
  env[key] = none;
  return none;
}

/**
 * Adds footnotes to a Markdown parser: `[^label]` in the text, and `[^label]: note` at the start of a line. More
 * paragraphs of a note are indented by four spaces. The notes follow the text as a numbered list. The number in the text
 * links to its note, and the note links back. A note without a reference isn't shown.
 */
export function addFootnotes(markdown: MarkdownParser): void {
  markdown.block.ruler.before('reference', 'footnote', readNote, { alt: ['paragraph', 'reference'] });
  markdown.inline.ruler.after('image', 'footnote-reference', readReference);
  markdown.core.ruler.after('inline', 'footnotes', moveNotes);
}

/** Returns the label of `[^label]` at a position of a text; undefined if there is none. */
function labelAt(text: string, at: number): string | undefined {
  if (!text.startsWith('[^', at)) return undefined;
  return /^([^\s[\]]+)\]/.exec(text.slice(at + 2, at + 3 + longestLabel))?.[1];
}

function readNote(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const { src, bMarks, tShift, sCount, blkIndent } = state;
  const mark = bMarks[line] ?? 0;
  const shift = tShift[line] ?? 0;
  const indent = sCount[line] ?? 0;
  const label = indent - blkIndent < 4 ? labelAt(src, mark + shift) : undefined;
  if (label === undefined) return false;
  const start = mark + shift + label.length + 4;
  if (src[start - 1] !== ':' || start > (state.eMarks[line] ?? 0)) return false;
  if (silent) return true;

  footnotesIn(state).labels.add(label);
  state.push('footnote_open', '', 1).meta = { label };
  // Reads the rest of the line as if it were indented like the lines of the note that follow.
  const [spaces = ''] = /^[ \t]*/.exec(src.slice(start, start + longestLabel)) ?? [];
  bMarks[line] = start;
  tShift[line] = spaces.length;
  sCount[line] = blkIndent + 4;
  state.blkIndent = blkIndent + 4;
  state.md.block.tokenize(state, line, end);
  state.blkIndent = blkIndent;
  bMarks[line] = mark;
  tShift[line] = shift;
  sCount[line] = indent;
  state.push('footnote_close', '', -1);
  return true;
}

function readReference(state: StateInline, silent: boolean): boolean {
  const label = labelAt(state.src, state.pos);
  const notes = footnotesIn(state);
  if (label === undefined || !notes.labels.has(label) || notes.total >= mostReferences) return false;
  if (!silent) {
    notes.total += 1;
    const note = notes.references.get(label) ?? { number: notes.references.size + 1, turns: 0 };
    note.turns += 1;
    notes.references.set(label, note);
    state.push('footnote_reference_open', 'sup', 1);
    state.push('link_open', 'a', 1).attrs = [
      ['href', `#fn${note.number}`],
      ['id', referenceId(note.number, note.turns)],
    ];
    // In plain text, the brackets separate the number from the word before it.
    state.push('text', '', 0).content = `[${note.number}]`;
    state.push('link_close', 'a', -1);
    state.push('footnote_reference_close', 'sup', -1);
  }
  state.pos += label.length + 3;
  return true;
}

const referenceId = (number: number, turn: number) => `fnref${number}${turn > 1 ? `-${turn}` : ''}`;

/** Moves the notes with references to the end of the text, and removes the others. */
function moveNotes(state: StateCore): void {
  const { labels, references } = footnotesIn(state);
  if (labels.size === 0) return;
  const text: Token[] = [];
  const notes = new Map<string, Token[]>();
  const open = [text];
  for (const token of state.tokens) {
    if (token.type === 'footnote_open') {
      const { label } = token.meta as { label: string };
      const note: Token[] = [];
      // If several notes have the same label, the first one counts, as with the URLs of links.
      if (!notes.has(label)) notes.set(label, note);
      open.push(note);
    } else if (token.type === 'footnote_close') open.pop();
    else open.at(-1)?.push(token);
  }
  if (references.size > 0) {
    const make = (type: string, tag: string, nesting: -1 | 0 | 1) =>
      Object.assign(new state.Token(type, tag, nesting), { block: true });
    text.push(make('hr', 'hr', 0), make('footnotes_open', 'ol', 1));
    for (const [label, { number, turns }] of references) {
      const item = make('footnote_item_open', 'li', 1);
      item.attrs = [['id', `fn${number}`]];
      const note = notes.get(label) ?? [];
      const inline = make('inline', '', 0);
      inline.children = [];
      if (note.at(-1)?.type !== 'paragraph_close')
        note.push(make('paragraph_open', 'p', 1), inline, make('paragraph_close', 'p', -1));
      const end = note.splice(-1);
      const links = Array.from({ length: turns }, (_, turn) =>
        linkBack(state, referenceId(number, turn + 1)),
      );
      text.push(item, ...note, ...links.flat(), ...end, make('footnote_item_close', 'li', -1));
    }
    text.push(make('footnotes_close', 'ol', -1));
  }
  state.tokens = text;
}

function linkBack({ Token }: StateCore, id: string): Token[] {
  const space = Object.assign(new Token('text', '', 0), { content: ' ' });
  const open = Object.assign(new Token('link_open', 'a', 1), {
    attrs: [
      ['href', `#${id}`],
      ['title', 'Back to the text'],
    ],
  });
  // The variation selector keeps systems from showing the arrow as an emoji.
  const arrow = Object.assign(new Token('text', '', 0), { content: '\u21a9\ufe0e' });
  return [space, open, arrow, new Token('link_close', 'a', -1)];
}

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
