import { Type, type Static } from 'typebox';
import { choice, closed, Id, method, Moment } from './shapes.ts';

/** The part of Porchlight that an activity item is about. */
export const ActivityArea = choice('sign-ins', 'posts', 'mentions', 'server', 'data');
export type ActivityArea = Static<typeof ActivityArea>;

/** The most characters of a page's title in a sentence. */
const longestTitle = 70;

/**
 * Returns a title for a sentence: on one line, at most 70 characters long, without quotation marks of its own and without
 * the period at its end, because the sentence goes on.
 */
export function shortTitle(title: string): string {
  const letters = Array.from(
    title
      .slice(0, 4 * longestTitle)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const text = letters.length <= longestTitle ? letters : [...letters.slice(0, longestTitle - 1), '…'];
  return text
    .join('')
    .replace(/[“”]/g, '"')
    .replace(/[.,;:]+$/, '');
}

/**
 * Returns how a sentence of the activity names a page: “Title” (https://…), or its address if it has no title. The window
 * shows the title alone, and the address on hover (see pagesInWords).
 */
export function pageInWords(url: string, title = ''): string {
  const short = shortTitle(title);
  return short === '' ? url : `“${short}” (${url})`;
}

/** A piece of a sentence. `url`: the address of the page that the piece names. */
interface Piece {
  readonly text: string;
  readonly url?: string;
}

/** A page by its title and address, or an address alone, up to the punctuation that ends the sentence. */
const page = /“([^“”]+)” \((https?:\/\/\S+)\)(?=[\s.,;:!?]|$)|(https?:\/\/\S*[^\s.,;:!?)”])/g;

/** Returns the pieces of a sentence, so that the pages in it can be shown by their titles. */
export function pagesInWords(words: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, 1: title, 2: titled, 3: bare = '', index } of words.matchAll(page)) {
    if (index > end) pieces.push({ text: words.slice(end, index) });
    pieces.push(title === undefined ? { text: bare, url: bare } : { text: `“${title}”`, url: titled ?? '' });
    end = index + found.length;
  }
  return end < words.length ? [...pieces, { text: words.slice(end) }] : pieces;
}

/**
 * An entry of the activity list. `kind` names the event, such as `post.created`. `words` is the sentence that the owner
 * reads.
 */
export const ActivityItem = closed({ id: Id, at: Moment, kind: Type.String(), words: Type.String() });
export type ActivityItem = Static<typeof ActivityItem>;

const areas = new Map<string, ActivityArea>([
  ['signIn', 'sign-ins'],
  ['app', 'sign-ins'],
  ['token', 'sign-ins'],
  ['post', 'posts'],
  ['media', 'posts'],
  ['webmention', 'mentions'],
  ['delivery', 'mentions'],
  ['data', 'data'],
  ['backup', 'data'],
]);

/**
 * Returns the area for a kind of activity, such as `posts` for `post.created`. Returns `server` if no other area
 * matches.
 */
export function areaOf(kind: string): ActivityArea {
  return areas.get(kind.split('.', 1)[0] ?? '') ?? 'server';
}

export const activityMethods = {
  /**
   * Lists activity, newest first. `query`: text to find in an item. `cursor`: the `nextCursor` of the previous page.
   */
  'activity.list': method(
    closed({
      area: Type.Optional(ActivityArea),
      query: Type.Optional(Type.String({ maxLength: 200 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    closed({ items: Type.Array(ActivityItem), nextCursor: Type.Optional(Type.String()) }),
  ),
};
