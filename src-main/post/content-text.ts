import type { Properties } from '../contract/posts.ts';

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Returns a post's plain text: its first nonempty `content`, or else its `summary`. Must not be inserted as HTML. */
export function contentText({ content = [], summary = [] }: Properties): string {
  return firstText(content) || firstText(summary);
}

function firstText(values: readonly unknown[]): string {
  for (const value of values) {
    const text = textOf(value).trim();
    if (text !== '') return text;
  }
  return '';
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('value' in value && typeof value.value === 'string') return value.value;
  if ('html' in value && typeof value.html === 'string') return withoutTags(value.html);
  return '';
}

/**
 * Returns a text without HTML tags and with common entities decoded. Good enough for searching and naming posts, and
 * takes linear time for any text.
 */
function withoutTags(html: string): string {
  const [first = '', ...rest] = html.split('<');
  const parts = rest.map((part) => part.slice(part.indexOf('>') + 1));
  return [first, ...parts]
    .join(' ')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (whole, name: string) => entities[name] ?? whole);
}
