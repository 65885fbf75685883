import { escapedHtml } from '../html.ts';
import { codeBlock, embedded, tagArguments } from './embeds.ts';
import type { TemplateContext } from './liquid.ts';
import { refTarget } from './site.ts';
import { endTags, tagInReport, tagReader, type Delimiters } from './tags.ts';

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
      continue;
    }
    if (name === 'highlight') {
      const end = endOf(name, at);
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
  let open = 0;
  for (let tag = tags.next(0); tag !== undefined; tag = tags.next(at)) {
    parts.push(text.slice(at, tag.at));
    at = tag.at + tag.source.length;
    const [, escaped] = /^\/\*([^]*)\*\/$/.exec(tag.code) ?? [];
    const [, name, code = ''] = /^([A-Za-z_]\w*)\(([^]*)\)$/.exec(tag.code) ?? [];
    if (escaped !== undefined) parts.push(tag.source.slice(0, 2), escaped, tag.source.slice(-2));
    else if (name !== undefined) {
      if (tag.kind === 'tag') open += 1;
      parts.push(shortcode(name, code, tag.source, context));
    } else if (tag.kind === 'tag' && tag.code === 'end' && open > 0) open -= 1;
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
