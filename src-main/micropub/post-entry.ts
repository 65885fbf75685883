import { Type, type Static } from 'typebox';
import { PostKind, PostStatus, Visibility, type Properties } from '../contract/posts.ts';
import { closed } from '../contract/shapes.ts';
import { contentText } from './content-text.ts';
import type { StoredPost } from './post-document.ts';
import { kindOf } from './post-kind.ts';
import type { Place } from './post-path.ts';
import type { PostFilter } from './post-store.ts';
import { earliestIn, latestIn, publishedOf } from './published.ts';

/** What lists and filters need to know of a post without its document. */
export const PostEntry = closed({
  slug: Type.String(),
  /** When it was published, in ms, kept within the month that it is filed under. */
  at: Type.Number(),
  kind: PostKind,
  status: PostStatus,
  visibility: Visibility,
  deleted: Type.Boolean(),
  categories: Type.Array(Type.String()),
  /** How its name and content begin, in lower case. */
  text: Type.String(),
  /** There is more text than that. */
  cut: Type.Boolean(),
});
export type PostEntry = Static<typeof PostEntry>;

const keptText = 280;

/** The entry of the post at a place. */
export function entryOf({ month, slug }: Place, post: StoredPost): PostEntry {
  const { properties, type, status, visibility } = post;
  const { at } = publishedOf(properties, Date.parse(post.createdAt));
  const text = searchable(properties);
  return {
    slug,
    at: Math.min(Math.max(at, earliestIn(month)), latestIn(month)),
    kind: kindOf(properties, type),
    status,
    visibility,
    deleted: post.deletedAt !== null,
    categories: categoriesOf(properties),
    text: text.slice(0, keptText),
    cut: text.length > keptText,
  };
}

/** Whether a filter lets the post pass; `unsure` where only the whole text can tell. */
export function matches(entry: PostEntry, filter: PostFilter): boolean | 'unsure' {
  const { kind, status, visibility, category, text, deleted = false } = filter;
  if (entry.deleted !== deleted) return false;
  if (kind !== undefined && entry.kind !== kind) return false;
  if (status !== undefined && entry.status !== status) return false;
  if (visibility !== undefined && entry.visibility !== visibility) return false;
  if (category !== undefined && !entry.categories.includes(category)) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  if ([entry.text, ...entry.categories].some((part) => part.toLowerCase().includes(wanted))) return true;
  return entry.cut ? 'unsure' : false;
}

/** Whether a filter lets the post itself pass. */
export function postMatches(place: Place, post: StoredPost, filter: PostFilter): boolean {
  const answer = matches(entryOf(place, post), filter);
  return answer === 'unsure'
    ? searchable(post.properties).includes((filter.text ?? '').toLowerCase())
    : answer;
}

const searchable = (properties: Properties) =>
  [...strings(properties.name), contentText(properties)].join('\n').toLowerCase();

const categoriesOf = ({ category }: Properties) => [...new Set(strings(category))];

const strings = (values: readonly unknown[] = []) => values.filter((value) => typeof value === 'string');
