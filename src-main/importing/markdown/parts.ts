import MarkdownIt from 'markdown-it';
import { escapedHtml } from '../html.ts';

/** A part of a Markdown text: a block or a span of code, an HTML comment, or anything else. */
interface MarkdownPart {
  readonly kind: 'text' | 'code' | 'comment';
  readonly text: string;
}

/** Finds the blocks of a text, not what is inside paragraphs. */
const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(['normalize', 'block']);

/** Splits Markdown into code, HTML comments and the rest, in order. Lines end with `\n`. */
export function markdownParts(text: string): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let end = 0;
  for (const [from, to] of codeBlocksIn(text)) {
    if (from < end) continue;
    parts.push(...spansIn(text.slice(end, from)), { kind: 'code', text: text.slice(from, to) });
    end = to;
  }
  return [...parts, ...spansIn(text.slice(end))];
}

/** Replaces text in Markdown outside code and comments. Leaves the comments out. */
export function outsideCode(text: string, replace: (text: string) => string): string {
  return markdownParts(text)
    .map((part) => (part.kind === 'code' ? part.text : part.kind === 'comment' ? '' : replace(part.text)))
    .join('');
}

/** Replaces text in Markdown outside blocks of code. */
function outsideCodeBlocks(text: string, replace: (text: string) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const [from, to] of codeBlocksIn(text)) {
    if (from < end) continue;
    parts.push(replace(text.slice(end, from)), text.slice(from, to));
    end = to;
  }
  return [...parts, replace(text.slice(end))].join('');
}

/** Returns the start and the end of each block of code. */
function codeBlocksIn(text: string): (readonly [number, number])[] {
  if (!/`{3}|~{3}|^(?: {4}|\t| {1,3}\t)/m.test(text)) return [];
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return blocks
    .parse(text, {})
    .flatMap(({ type, map }) =>
      map !== null && (type === 'fence' || type === 'code_block')
        ? [[starts[map[0]] ?? text.length, starts[map[1]] ?? text.length] as const]
        : [],
    );
}

/** Splits Markdown without blocks of code into spans of code, comments and the rest. */
function spansIn(text: string): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ at: index, length }));
  let end = 0;
  const add = (kind: 'code' | 'comment', from: number, to: number): void => {
    if (from > end) parts.push({ kind: 'text', text: text.slice(end, from) });
    parts.push({ kind, text: text.slice(from, to) });
    end = to;
  };
  let comment = text.indexOf('<!--');
  let paragraphEnd = 0;
  for (let index = 0; index <= runs.length; index += 1) {
    const run = runs[index];
    while (comment !== -1 && comment < (run?.at ?? text.length)) {
      const close = comment < end ? -1 : text.indexOf('-->', comment + 2);
      if (comment >= end && close === -1) comment = -1;
      else {
        if (comment >= end) add('comment', comment, close + 3);
        comment = text.indexOf('<!--', Math.max(end, comment + 1));
      }
    }
    if (!run) break;
    if (run.at < end) continue;
    if (paragraphEnd <= run.at) {
      const blank = text.slice(run.at).search(/\n[ \t]*\n/);
      paragraphEnd = blank === -1 ? text.length : run.at + blank;
    }
    // A backslash before a backtick makes it text, but not within code.
    const escaped = isEscaped(text, run.at) ? 1 : 0;
    const close = closingRun(runs, index, run.length - escaped, paragraphEnd);
    if (close !== undefined) add('code', run.at + escaped, close.at + close.length);
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

/** Returns the run of `length` backticks that ends the span of code which begins at another run. */
function closingRun<T extends { at: number; length: number }>(
  runs: readonly T[],
  open: number,
  length: number,
  paragraphEnd: number,
): T | undefined {
  if (length === 0) return undefined;
  for (let index = open + 1; (runs[index]?.at ?? Infinity) < paragraphEnd; index += 1)
    if (runs[index]?.length === length) return runs[index];
  return undefined;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** Matches a heading, with its id in braces if it has one. */
const heading =
  /^( {0,3}#{1,6}[ \t]{1,20})(?=\S)([^\n]{1,500}?)[ \t]{0,20}(?:\{#([\w:.-]{1,100})[^{}\n]{0,200}\})?[ \t]{0,20}$/gm;
/** Matches the fragments to which a text links. */
const links = /(?:\]\(<?|\]:[ \t]{0,5}<?|href=["'])#([^\s()<>"']{1,200})/g;

/**
 * Replaces the ids of headings by anchors if the text links to them, and removes the others. Site generators make ids
 * from the words of a heading, or take them from braces: `## About {#about}`.
 */
export function withAnchors(text: string): string {
  const fragments = new Set([...text.matchAll(links)].map(([, fragment = '']) => decodedFragment(fragment)));
  if (fragments.size === 0 && !text.includes('{#')) return text;
  const used = new Map<string, number>();
  return outsideCodeBlocks(text, (part) =>
    part.replace(heading, (_whole, start: string, words: string, id?: string) => {
      const ids = id === undefined ? usualIds(words) : [id];
      const numbered = ids.map((each) => {
        const count = used.get(each) ?? 0;
        used.set(each, count + 1);
        return count === 0 ? each : `${each}-${count}`;
      });
      const linked = numbered.find((each) => fragments.has(each));
      return linked === undefined ? start + words : `${start}<a id="${escapedHtml(linked)}"></a>${words}`;
    }),
  );
}

/** Returns the ids that site generators make from the words of a heading: as GitHub does, and as Zola does. */
function usualIds(heading: string): string[] {
  const words = heading
    .replace(/!?\[([^\]]{0,500})\]\([^()]{0,1000}\)/g, '$1')
    .replace(/<[^<>]{0,500}>|[*`]|[ \t]#+$/g, '')
    .trim()
    .toLowerCase();
  const hyphens = words.replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
  const plain = words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return [...new Set([hyphens, plain])];
}

function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
