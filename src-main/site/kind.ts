import type { Post, PostKind } from '../contract/posts.ts';
import { textOf, valuesOf } from './values.ts';

/** What tells a kind, in the order in which it counts (post type discovery; checkin and bookmark as clients post them). */
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

/** What a page calls its post. `words`: its text, else its summary, on one line. */
export function kindOf({ type, properties }: Post, words: string): PostKind {
  if (type.includes('h-event')) return 'event';
  const told = telling.find(([property]) => valuesOf(properties, property).length > 0);
  if (told) return told[1];
  return hasTitle(properties, words) ? 'article' : 'note';
}

/** True where the name says more than the beginning of the content does (post type discovery). */
export function hasTitle(properties: Post['properties'], words: string): boolean {
  const name = textOf(properties, 'name')?.replace(/\s+/g, ' ').trim();
  return name !== undefined && !words.startsWith(name);
}

/** What the kinds are called. */
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
