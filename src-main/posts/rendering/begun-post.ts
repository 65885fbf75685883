import { responseProperties } from '../../contract/post-kinds.ts';
import type { Properties } from '../../contract/posts.ts';
import { html } from '../../http/html.ts';
import { sizeUpTo } from '../../storage/json-value.ts';
import type { StoredPost } from '../post-document.ts';
import { asNested, propertyText, propertyValues } from '../values.ts';
import { contentLine, excerpt } from './rich-text.ts';

/**
 * In characters. `whole`: the size of the smallest post that lists and feeds don't read whole, eight times that of a long
 * article: dozens in one list would occupy the server for seconds. `begun`: the maximum size of what they read of it.
 */
export const begunLimits = { whole: 400_000, begun: 30_000, name: 1000, text: 4000 } as const;

/** What lists need of a post, whatever else it has. */
const first = [
  'published',
  'visibility',
  'post-status',
  'name',
  'summary',
  'content',
  ...responseProperties.map(({ name }) => name),
];

/**
 * Returns what lists and feeds show of a very long post: the beginning of its text, with a link to the whole post, and
 * its first values. Returns undefined for any other post, which they show whole. `url`: of the post; it may be relative
 * to the public origin.
 */
export function begunPost(whole: StoredPost, url: string): StoredPost | undefined {
  const { markdown: _markdown, ...rest } = whole;
  const { properties, commands } = rest;
  if (sizeUpTo([properties, commands], begunLimits.whole) < begunLimits.whole) return undefined;
  const words = begunWords(properties, url);
  let left: number = begunLimits.begun;
  const kept = [...new Set([...first, ...Object.keys(properties)])].flatMap((key) => {
    const values = words[key] ?? propertyValues(properties, key);
    const fitting = values.flatMap((value) => {
      // A page that the post responds to is known by its address, whatever else the post says about it.
      for (const one of [value, propertyText(asNested(value)?.properties ?? {}, 'url')]) {
        const size = one === undefined ? Infinity : sizeUpTo(one, left + 1);
        if (size > left) continue;
        left -= size;
        return [one];
      }
      return [];
    });
    return fitting.length === 0 ? [] : [[key, fitting] as const];
  });
  return { ...rest, commands: {}, properties: Object.fromEntries(kept) };
}

/** Returns the beginnings of a post's name, summary and content, as far as they are long. */
function begunWords(properties: Properties, url: string): Readonly<Record<string, unknown[]>> {
  const { name: longestName, text: longestText } = begunLimits;
  const name = propertyText(properties, 'name');
  const summary = propertyText(properties, 'summary');
  const [content] = propertyValues(properties, 'content');
  const isLong = sizeUpTo(content, longestText) >= longestText;
  const text = isLong ? contentLine(content) : '';
  return {
    ...(name !== undefined && { name: [excerpt(name.slice(0, 2 * longestName), longestName)] }),
    ...(summary !== undefined && { summary: [excerpt(summary, longestText)] }),
    ...(text !== '' && {
      content: [
        {
          html: html`<p>${excerpt(text, longestText)}</p><p><a href="${url}">Read more</a></p>`.markup,
        },
      ],
    }),
  };
}
