import type { Properties } from '../../src-main/contract/posts.ts';

/** A body may have 2 MB. The rest is for what stands around the text. */
const bytes = 1_950_000;
const repeated = (text: string, length = bytes): string =>
  text.repeat(Math.floor(length / Buffer.byteLength(text)));
export const counted = (one: (index: number) => string, length = bytes): string => {
  const parts: string[] = [];
  for (let total = 0; total < length; total += parts.at(-1)?.length ?? 1) parts.push(one(parts.length));
  return parts.join('').slice(0, length);
};
/** As many values as a property may have, as long as they may be together. */
const values = (one: (index: number) => string, count = 998): string[] =>
  Array.from({ length: count }, (_, index) => one(index).padEnd(bytes / count - 6, 'x'));
const html = (markup: string): Properties => ({ content: [{ html: markup }] });
const nested = (type: string, properties: (index: number) => object, count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: [type], properties: properties(index) }));
const deep = (depth: number): unknown =>
  depth === 0 ? 'x' : { type: ['h-cite'], properties: { author: [deep(depth - 1)] } };

/** The largest posts that an app may send, by what there is much of. Written when they are needed: each takes 2 MB. */
export const largestPosts: Readonly<Record<string, () => Properties>> = {
  categories: () => ({ content: ['x'], category: values((index) => `c${index}`) }),
  'people as categories': () => ({
    content: ['x'],
    category: values((index) => `https://p${index}.example/`),
  }),
  photos: () => ({ photo: values((index) => `https://photos.example/${index}`) }),
  'photos with alt text': () => ({
    photo: values((index) => `${index}`).map((alt, index) => ({ value: `https://p.example/${index}`, alt })),
  }),
  copies: () => ({ content: ['x'], syndication: values((index) => `https://s${index}.example/`) }),
  replies: () => ({ content: ['x'], 'in-reply-to': values((index) => `https://s${index}.example/`) }),
  likes: () => ({ 'like-of': values((index) => `https://s${index}.example/`) }),
  citations: () => ({
    content: ['x'],
    'in-reply-to': nested(
      'h-cite',
      (at) => ({ url: [`https://a.example/${at}`], content: [{ html: repeated('<b>a</b> ', 9000) }] }),
      200,
    ),
  }),
  places: () => ({
    checkin: nested(
      'h-card',
      (at) => ({ name: [`${at}`], url: ['https://a.example/'], locality: ['x'] }),
      190,
    ),
  }),
  times: () => ({
    start: Array.from({ length: 990 }, () => '2026-01-01T00:00:00Z'),
    rsvp: values(() => 'yes', 990),
  }),
  'deep nesting': () => ({ 'in-reply-to': Array.from({ length: 90 }, () => deep(5)), x: [deep(9)] }),
  'unknown properties': () =>
    Object.fromEntries(
      Array.from({ length: 1900 }, (_, index): [string, string[]] => [`x${index}`, ['y'.repeat(1000)]]),
    ),
  'a name': () => ({ name: [repeated('word ')] }),
  'a name of white space': () => ({ name: [repeated('a  ')] }),
  'a summary': () => ({ summary: [repeated('word ')] }),
  'HTML of paragraphs': () => html(counted((index) => `<p>Words ${index} words words words words words</p>`)),
  'HTML of nested tags': () => html(repeated('<b>', 119_000)),
  'HTML of nested blocks': () => html(repeated('<div>', 199_000)),
  'HTML of tags': () => html(repeated('<b>a</b>')),
  'HTML of links': () =>
    html(counted((index) => `<a href='https://a.example/${index}/${'x'.repeat(50)}'>a</a>`)),
  'HTML of pictures': () =>
    html(counted((index) => `<img src='https://a.example/${index}/${'x'.repeat(50)}' alt='y'>`)),
  'HTML of entities': () => html(repeated('&amp;')),
  'HTML of attributes': () =>
    html(counted((index) => `<p title='${'&lt;'.repeat(20)}' id='a${index}'>x</p>`)),
  'HTML of one tag': () => html(`<p ${repeated('a=1 ')}>`),
  'HTML of brackets': () => html(repeated("'<")),
  'HTML of text': () => html(repeated('a ')),
  'text of links': () => ({ content: [repeated('http://a.b ')] }),
  'text of one link': () => ({ content: [`http://a.b/${repeated('(')}`] }),
  'text of tags': () => ({ content: [counted((index) => `#t${index} `)] }),
  'text of people': () => ({ content: [counted((index) => `@p${index}.example `)] }),
  'text of lines': () => ({ content: [repeated('a\n', bytes * 0.6)] }),
  'text of paragraphs': () => ({ content: [repeated('a\n\n', bytes * 0.6)] }),
  'text of spaces': () => ({ content: [`a${repeated(' ')}b`] }),
  'text of brackets': () => ({ content: [repeated('<&')] }),
};
