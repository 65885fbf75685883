import type { Post, PostKind } from '../contract/posts.ts';
import { textOf, valuesOf } from './values.ts';

/**
 * The properties that determine a kind, in the order of precedence of post type discovery. Check-ins and bookmarks,
 * which it does not define, have the properties that clients post.
 */
const telling: readonly (readonly [string, PostKind])[] = [
  ['start', 'event'],
  ['rsvp', 'rsvp'],
  ['repost-of', 'repost'],
  ['like-of', 'like'],
  ['checkin', 'checkin'],
  ['in-reply-to', 'reply'],
  ['bookmark-of', 'bookmark'],
  ['video', 'video'],
  ['photo', 'photo'],
  ['audio', 'audio'],
];

/** Returns the kind of a post. `words`: the post's text, or else its summary, on one line. */
export function kindOf({ type, properties }: Post, words: string): PostKind {
  if (type.includes('h-event')) return 'event';
  const told = telling.find(([property]) => valuesOf(properties, property).length > 0);
  if (told) return told[1];
  return hasTitle(properties, words) ? 'article' : 'note';
}

/** Returns whether a post's name is more than the beginning of its content (post type discovery). */
export function hasTitle(properties: Post['properties'], words: string): boolean {
  const name = textOf(properties, 'name')?.replace(/\s+/g, ' ').trim();
  return name !== undefined && !words.startsWith(name);
}

/** The names of the kinds. */
export const kindWords: Readonly<Record<PostKind, string>> = {
  note: 'Note',
  article: 'Article',
  photo: 'Photo',
  video: 'Video',
  audio: 'Recording',
  reply: 'Reply',
  like: 'Like',
  repost: 'Repost',
  bookmark: 'Bookmark',
  rsvp: 'RSVP',
  event: 'Event',
  checkin: 'Check-in',
};
