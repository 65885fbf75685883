import { escapedHtml } from '../html.ts';
import { limitedValue, type LiquidData, liquidValue, type LiquidValue } from './liquid-values.ts';
import { refTarget } from './site.ts';
import {
  codeBlock,
  type Delimiters,
  embedded,
  endTags,
  figureAround,
  tagArguments,
  tagInReport,
  tagReader,
} from './tags.ts';

const hugo: Delimiters = {
  '{{<': { end: '>}}', kind: 'tag' },
  '{{%': { end: '%}}', kind: 'tag' },
};
const zola: Delimiters = {
  '{{': { end: '}}', kind: 'output' },
  '{%': { end: '%}', kind: 'tag' },
};

/** Shortcodes of which only the content counts. */
const transparent = new Set(['rawhtml', 'raw', 'html', 'unsafe', 'markdown', 'md']);

/**
 * Converts the shortcodes of Hugo in a text. Shortcodes that Porchlight doesn't know are left out, and passed to `lost`;
 * what they contain stays.
 */
export function withoutShortcodes(text: string, context: TemplateContext): string {
  const tags = tagReader(text, hugo);
  const endOf = endTags(text, /\{\{[<%]\s*\/\s*([\w./-]+)\s*[>%]\}\}/g);
  const parts: string[] = [];
  /** The ends of the open figures, by the positions of their end tags. */
  const figures = new Map<number, string>();
  let at = 0;
  for (let tag = tags.next(0); tag !== undefined; tag = tags.next(at)) {
    const before = text.slice(at, tag.at);
    parts.push(before);
    at = tag.at + tag.source.length;
    const [, escaped] = /^\/\*([^]*)\*\/$/.exec(tag.code) ?? [];
    if (escaped !== undefined) {
      parts.push(tag.source.slice(0, 3), escaped, tag.source.slice(-3));
      continue;
    }
    const [, slash = '', name = '', code = ''] = /^(\/?)\s*([\w./-]+)([^]*)$/.exec(tag.code) ?? [];
    if (slash === '/') {
      if (name === 'details') parts.push('\n</details>');
      parts.push(figures.get(tag.at) ?? '');
      continue;
    }
    const end = endOf(name, at);
    const figure = end && !figures.has(end.at) ? figureAround(name, tagArguments(code)) : undefined;
    if (figure && end) {
      parts.push(figure.start);
      figures.set(end.at, figure.end);
    } else if (name === 'highlight') {
      if (!end) continue;
      parts.push(codeBlock(text.slice(at, end.at), tagArguments(code).listed[0] ?? '', before));
      at = end.end;
    } else parts.push(shortcode(name, code, tag.source, context));
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/**
 * Converts the shortcodes of Zola in a text: `{{ name(key="value") }}`, and `{% name() %}` with content. Other text in
 * braces stays.
 */
export function withoutZolaShortcodes(text: string, context: TemplateContext): string {
  const tags = tagReader(text, zola);
  const parts: string[] = [];
  let at = 0;
  /** What ends each open shortcode. */
  const open: string[] = [];
  for (let tag = tags.next(0); tag !== undefined; tag = tags.next(at)) {
    parts.push(text.slice(at, tag.at));
    at = tag.at + tag.source.length;
    const [, escaped] = /^\/\*([^]*)\*\/$/.exec(tag.code) ?? [];
    const [, name, code = ''] = /^([A-Za-z_]\w*)\(([^]*)\)$/.exec(tag.code) ?? [];
    if (escaped !== undefined) parts.push(tag.source.slice(0, 2), escaped, tag.source.slice(-2));
    else if (name !== undefined) {
      const figure = tag.kind === 'tag' ? figureAround(name, tagArguments(code)) : undefined;
      if (tag.kind === 'tag') open.push(figure?.end ?? '');
      parts.push(figure?.start ?? shortcode(name, code, tag.source, context));
    } else if (tag.kind === 'tag' && tag.code === 'end' && open.length > 0) parts.push(open.pop() ?? '');
    else {
      parts.push(tag.source.slice(0, 2));
      at = tag.at + 2;
    }
  }
  parts.push(text.slice(at));
  return parts.join('');
}

function shortcode(
  name: string,
  code: string,
  source: string,
  { page, linkTo, lost }: TemplateContext,
): string {
  const given = tagArguments(code.replace(/\/\s*$/, ''));
  const [first = ''] = given.listed;
  const kind = name.toLowerCase().replace(/\.html$/, '');
  if (transparent.has(kind)) return '';
  if (kind === 'ref' || kind === 'relref') {
    const url = linkTo(refTarget(given));
    if (url === undefined) lost(tagInReport(source));
    return url ?? '';
  }
  if (kind === 'details') {
    const summary = given.named['summary'] ?? given.named['title'] ?? first;
    return `<details><summary>${escapedHtml(summary)}</summary>\n`;
  }
  const field = kind === 'param' && Object.hasOwn(page, first) ? page[first] : undefined;
  if (typeof field === 'string' || typeof field === 'number') return String(field);
  const made = embedded(kind, given);
  if (made === undefined) lost(tagInReport(source));
  return made ?? '';
}

type IsLeft = (at: number) => boolean;

/** What the conversion of template code needs. */
export interface TemplateContext extends LiquidData {
  /** Returns the URL of a page to which a tag links; undefined if the archive doesn't contain the page. */
  readonly linkTo: (target: string) => string | undefined;
  /** Called with each tag that is left out. */
  readonly lost: (tag: string) => void;
}

const delimiters: Delimiters = {
  '{%': { end: '%}', kind: 'tag' },
  '{{': { end: '}}', kind: 'output' },
};

/** Limits on loops, because short templates can repeat a lot. */
const mostSteps = 10_000;
const longestOutput = 500_000;

/** Tags whose content isn't evaluated. */
const verbatim = new Set(['raw', 'comment', 'highlight', 'codeblock', 'verbatim']);
/** Tags that begin the next branch of a block. */
const branches = new Set(['else', 'elsif', 'when']);
/** Tags that have a matching end tag. */
const paired = new Set(['for', 'if', 'unless', 'case', 'capture']);
/** The maximum depth of blocks in blocks. */
const mostDepth = 50;

/** A part of a text: text as it is, or a tag. */
interface LiquidNode {
  readonly kind: 'text' | 'output' | 'tag';
  readonly source: string;
  /** The expression of an output. */
  readonly code: string;
  /** The name of a tag, and the rest of its code. */
  readonly name: string;
  readonly rest: string;
  /** The content of a verbatim tag. */
  readonly content?: string;
  /**
   * The position of the next tag of the same block, such as `else` or the end tag. For a tag that needs no end tag: of
   * its end tag, if it has one.
   */
  next?: number;
}

/**
 * Converts Liquid, the template language of Jekyll and Eleventy, in a text. Tags that Porchlight doesn't know are left
 * out, and passed to `lost`. `isLeft`: returns whether the tag at a position stays as it is, unless it is `raw`.
 */
export function withoutLiquid(text: string, context: TemplateContext, isLeft?: IsLeft): string {
  const nodes = nodesIn(text, isLeft);
  const variables = new Map<string, LiquidValue>();
  let steps = 0;

  function run(from: number, to: number, output: Output): void {
    for (let at = from; at < to; at += 1) {
      const node = nodes[at];
      steps += 1;
      if (!node || steps > mostSteps + nodes.length || output.length > longestOutput) return;
      at = step(node, at, output);
    }
  }

  /** Evaluates a node. Returns the position of the last node that belongs to it. */
  function step(node: LiquidNode, at: number, output: Output): number {
    const { kind, name, rest, source } = node;
    if (kind === 'text') output.add(source);
    else if (kind === 'output') {
      const value = liquidValue(node.code, context, variables);
      if (value === undefined) context.lost(tagInReport(source));
      else output.add(typeof value === 'string' ? value : value.join(''));
    } else if (node.content !== undefined) {
      if (name === 'highlight' || name === 'codeblock')
        output.add(codeBlock(node.content, rest, output.end()));
      else if (name !== 'comment') output.add(node.content);
    } else if (paired.has(name)) return block(node, at, output);
    else {
      const around = node.next === undefined ? undefined : figureAround(name, tagArguments(rest, valueOf));
      if (around && node.next !== undefined) {
        output.add(around.start);
        run(at + 1, node.next, output);
        output.add(around.end);
        return node.next;
      }
      output.add(tag(node, output));
    }
    return at;
  }

  /** Returns the value of an argument of a tag; undefined if the argument is text. */
  function valueOf(argument: string): string | undefined {
    const value = /^(?:site|page)\./.test(argument) ? liquidValue(argument, context, variables) : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  function block({ name, rest, source, next }: LiquidNode, at: number, output: Output): number {
    if (next === undefined) {
      context.lost(tagInReport(source));
      return at;
    }
    let end = next;
    while (nodes[end]?.next !== undefined) end = nodes[end]?.next ?? end;
    if (name === 'for') {
      const [, variable = '', list = ''] = /^([\w-]+)\s+in\s+(\S+)$/.exec(rest) ?? [];
      const items = liquidValue(list, context, variables);
      if (items === undefined || typeof items === 'string') context.lost(tagInReport(source));
      else
        for (const item of items) {
          if (steps > mostSteps + nodes.length || output.length > longestOutput) {
            context.lost(tagInReport(source));
            break;
          }
          variables.set(variable, item);
          run(at + 1, next, output);
        }
    } else if (name === 'capture') {
      const captured = outputOf();
      run(at + 1, next, captured);
      const value = limitedValue(captured.text());
      if (value !== undefined) variables.set(rest, value);
    } else {
      // The condition isn't evaluated: the first branch counts.
      context.lost(tagInReport(source));
      run(name === 'case' ? next + 1 : at + 1, name === 'case' ? (nodes[next]?.next ?? end) : next, output);
    }
    return end;
  }

  function tag({ name, rest, source }: LiquidNode, output: Output): string {
    if (name === 'assign') {
      const [, variable = '', expression = ''] = /^([\w-]+)\s*=\s*([^]*)$/.exec(rest) ?? [];
      const value = liquidValue(expression, context, variables);
      if (value === undefined) context.lost(tagInReport(source));
      else variables.set(variable, value);
      return '';
    }
    if (name === 'link' || name === 'post_url') {
      const target = withoutLiquidOutputs(rest, context, variables);
      const url = context.linkTo(target);
      if (url === undefined) context.lost(tagInReport(source));
      return url ?? '';
    }
    const isInclude = /^(?:include|include_relative|include_cached|render)$/.test(name);
    const [, included = '', inputs = ''] = isInclude
      ? (/^["']?([^\s"',]+)["']?,?([^]*)$/.exec(rest) ?? [])
      : [];
    const isSilent = name === '' || name === '#' || name.startsWith('end');
    const made = embedded(
      isInclude ? (included.split('/').at(-1) ?? '') : name,
      tagArguments(isInclude ? inputs : rest, valueOf),
    );
    if (made === undefined && !isSilent) context.lost(tagInReport(source));
    // Block HTML has to begin a line.
    const isInLine = (output.end().split('\n').at(-1) ?? '').trim() !== '';
    return made?.startsWith('<figure') === true && isInLine ? `\n\n${made}` : (made ?? '');
  }

  const output = outputOf();
  run(0, nodes.length, output);
  return output.text();
}

function withoutLiquidOutputs(
  text: string,
  context: LiquidData,
  variables: ReadonlyMap<string, LiquidValue>,
): string {
  return text.replace(/\{\{([^{}]*)\}\}/g, (_whole, code: string) => {
    const value = liquidValue(code.trim(), context, variables);
    return typeof value === 'string' ? value : '';
  });
}

type Output = ReturnType<typeof outputOf>;

function outputOf() {
  const parts: string[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(text: string): void {
      length += text.length;
      if (text !== '') parts.push(text);
    },
    /** Returns the end of the text, with at least its last line if that isn't long. */
    end: () => parts.slice(-3).join('').slice(-1000),
    text: () => parts.join(''),
  };
}

/** Splits a text into nodes, and connects the tags of each block. */
function nodesIn(text: string, isLeft: IsLeft = () => false): LiquidNode[] {
  const nodes: LiquidNode[] = [];
  const tags = tagReader(text, delimiters);
  const endOf = endTags(text, /\{%-?\s*end(raw|comment|highlight|codeblock|verbatim)\s*-?%\}/g);
  let at = 0;
  const addText = (to: number): void => {
    if (to > at) nodes.push({ kind: 'text', source: text.slice(at, to), code: '', name: '', rest: '' });
  };
  let from = 0;
  for (let tag = tags.next(0); tag !== undefined; tag = tags.next(from)) {
    from = tag.at + 2;
    const code = tag.code.replace(/^-|-$/g, '').trim();
    const [, name = '', rest = ''] = tag.kind === 'tag' ? (/^(#|[\w-]*)([^]*)$/.exec(code) ?? []) : [];
    const node = { kind: tag.kind, source: tag.source, code, name, rest: rest.trim() };
    const inside = tag.at + tag.source.length;
    const end = verbatim.has(name) ? endOf(name, inside) : undefined;
    if (isLeft(tag.at) && !(end && name === 'raw')) continue;
    addText(tag.at);
    nodes.push(end ? { ...node, content: text.slice(inside, end.at) } : node);
    at = end?.end ?? inside;
    from = at;
  }
  addText(text.length);
  connectBlocks(nodes);
  return nodes;
}

function connectBlocks(nodes: readonly LiquidNode[]): void {
  /** The positions of the first and the latest tag of each open block. */
  const open: { readonly name: string; latest: number }[] = [];
  nodes.forEach(({ kind, name, content }, at) => {
    if (kind !== 'tag' || content !== undefined) return;
    const block = open.at(-1);
    const latest = nodes[block?.latest ?? -1];
    if (paired.has(name) && open.length < mostDepth) open.push({ name, latest: at });
    else if (block && latest && (branches.has(name) || name === `end${block.name}`)) {
      latest.next = at;
      if (branches.has(name)) block.latest = at;
      else open.pop();
    }
  });
  /** The positions of the end tags that follow, the nearest one last. */
  const ends = new Map<string, number[]>();
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const node = nodes[at];
    if (node?.kind !== 'tag' || node.content !== undefined || paired.has(node.name)) continue;
    const [, block] = /^end(.+)$/.exec(node.name) ?? [];
    if (block !== undefined) {
      const known = ends.get(block) ?? [];
      known.push(at);
      ends.set(block, known);
    } else {
      const end = ends.get(node.name)?.pop();
      if (end !== undefined) node.next = end;
    }
  }
}
