import { html } from '../../http/html.ts';
import { sizeUpTo } from '../../storage/json-value.ts';
import type { StoredPost } from '../post-document.ts';
import { propertyText, propertyValues } from '../values.ts';
import { contentLine, excerpt } from './rich-text.ts';

/**
 * The size of the largest post that lists and feeds read whole, in characters: eight times that of a long article. Dozens
 * of longer posts in one list would occupy the server for seconds.
 */
const longestWhole = 400_000;

/** The maximum size of the values that a list shows of a longer post, in characters. */
const longestBegun = 20_000;
const longestName = 1000;
const longestText = 4000;

/** What lists need of a post, whatever else it has. */
const first = ['published', 'visibility', 'post-status', 'name', 'summary', 'content'];

/**
 * Returns what lists and feeds show of a very long post: the beginning of its text, with a link to the whole post, and
 * its first values. Returns undefined for any other post, which they show whole. `url`: of the post; it may be relative
 * to the public origin.
 */
export function begunPost(whole: StoredPost, url: string): StoredPost | undefined {
  if (sizeUpTo(whole, longestWhole) < longestWhole) return undefined;
  const { markdown: _markdown, ...rest } = whole;
  const { properties } = rest;
  const text = contentLine(propertyValues(properties, 'content')[0]);
  const name = propertyText(properties, 'name');
  const summary = propertyText(properties, 'summary');
  const words = {
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
  let left = longestBegun;
  const kept = [...new Set([...first, ...Object.keys(properties)])].flatMap((key) => {
    const values = Object.hasOwn(words, key)
      ? words[key as keyof typeof words]
      : propertyValues(properties, key);
    const fitting = (values ?? []).filter((value) => {
      const size = sizeUpTo(value, left + 1);
      if (size > left) return false;
      left -= size;
      return true;
    });
    return fitting.length === 0 ? [] : [[key, fitting] as const];
  });
  return { ...rest, commands: {}, properties: Object.fromEntries(kept) };
}
