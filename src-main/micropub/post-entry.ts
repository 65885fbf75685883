import { Type, type Static } from 'typebox';
import { PostKind, PostStatus, Visibility, type Properties } from '../contract/posts.ts';
import { publishedOf } from '../contract/published.ts';
import { closed } from '../contract/shapes.ts';
import { contentText } from './content-text.ts';
import type { StoredPost } from './post-document.ts';
import { mediaIn } from './media-mentions.ts';
import { kindOf } from './post-kind.ts';
import type { Place } from './post-path.ts';
import type { LimitedReader, PostFilter } from './post-store.ts';
import { earliestIn, latestIn } from './month-bounds.ts';

/** What lists and filters need to know of a post without its document. */
export const PostEntry = closed({
  slug: Type.String(),
  /** When it was published, in ms, kept within the month that it is filed under. */
  at: Type.Number(),
  /** When it was published, in ms, as it says itself. */
  publishedAt: Type.Number(),
  kind: PostKind,
  status: PostStatus,
  visibility: Visibility,
  deleted: Type.Boolean(),
  createdBy: Type.Optional(Type.String()),
  categories: Type.Array(Type.String()),
  /** The paths of files of ours that it mentions; not all where there are very many. */
  media: Type.Array(Type.String()),
  /** How its name and content begin, in lower case. */
  text: Type.String(),
  /** There is more text than that. */
  cut: Type.Boolean(),
});
export type PostEntry = Static<typeof PostEntry>;

const keptText = 280;
const keptMedia = 200;

/** The entry of the post at a place. */
export function entryOf({ month, slug }: Place, post: StoredPost): PostEntry {
  const { properties, type, status, visibility } = post;
  const { at } = publishedOf(properties, Date.parse(post.createdAt));
  const text = searchable(properties);
  return {
    slug,
    at: Math.min(Math.max(at, earliestIn(month)), latestIn(month)),
    publishedAt: at,
    kind: kindOf(properties, type),
    status,
    visibility,
    deleted: post.deletedAt !== null,
    ...(post.createdBy !== undefined && { createdBy: post.createdBy }),
    categories: categoriesOf(properties),
    media: mediaIn(properties).slice(0, keptMedia),
    text: text.slice(0, keptText),
    cut: text.length > keptText,
  };
}

/** Whether a filter lets the post pass; `unsure` where only the whole post can tell. */
export function matches(entry: PostEntry, filter: PostFilter): boolean | 'unsure' {
  const { kind, status, visibility, category, deleted = false } = filter;
  const { publishedBy = Infinity, publishedAfter = -Infinity } = filter;
  if (entry.deleted !== deleted) return false;
  if (kind !== undefined && entry.kind !== kind) return false;
  if (status !== undefined && entry.status !== status) return false;
  if (visibility !== undefined && entry.visibility !== visibility) return false;
  if (category !== undefined && !entry.categories.includes(category)) return false;
  if (filter.readableBy !== undefined && !isReadable(entry, filter.readableBy)) return false;
  if (entry.publishedAt > publishedBy || entry.publishedAt <= publishedAfter) return false;
  const answers = [mentions(entry, filter.uses), says(entry, filter.text)];
  return answers.includes(false) ? false : !answers.includes('unsure') || 'unsure';
}

function isReadable(entry: PostEntry, { app, now }: LimitedReader): boolean {
  if (entry.createdBy === app) return true;
  return entry.status === 'published' && entry.visibility === 'public' && entry.publishedAt <= now;
}

function mentions({ media }: PostEntry, path: string | undefined): boolean | 'unsure' {
  if (path === undefined || media.includes(path)) return true;
  return media.length < keptMedia ? false : 'unsure';
}

function says({ text, categories, cut }: PostEntry, words: string | undefined): boolean | 'unsure' {
  if (words === undefined) return true;
  const wanted = words.toLowerCase();
  if ([text, ...categories].some((part) => part.toLowerCase().includes(wanted))) return true;
  return cut ? 'unsure' : false;
}

/** Whether a filter lets the post itself pass. */
export function postMatches(place: Place, post: StoredPost, filter: PostFilter): boolean {
  const whole = {
    ...entryOf(place, post),
    media: mediaIn(post.properties),
    text: searchable(post.properties),
    cut: false,
  };
  return matches(whole, filter) === true;
}

const searchable = (properties: Properties) =>
  [...strings(properties.name), contentText(properties)].join('\n').toLowerCase();

const categoriesOf = ({ category }: Properties) => [...new Set(strings(category))];

const strings = (values: readonly unknown[] = []) => values.filter((value) => typeof value === 'string');
