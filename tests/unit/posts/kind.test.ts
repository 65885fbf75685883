import { describe, expect, test } from 'vitest';
import type { PostKind, Properties } from '../../../src-main/contract/posts.ts';
import { hasTitle, postKindOf } from '../../../src-main/posts/kind.ts';

const url = 'https://friend.example/1';

const cases: [words: string, kind: PostKind, properties: Properties][] = [
  ['content alone is a note', 'note', { content: ['Hello'] }],
  ['nothing at all is a note', 'note', {}],
  [
    'a name that is no part of the content makes an article',
    'article',
    { name: ['On porches'], content: ['A lamp.'] },
  ],
  ['a name that begins the content makes a note', 'note', { name: ['A  lamp'], content: [' A lamp is on.'] }],
  [
    'a name in the middle of the content makes an article',
    'article',
    { name: ['lamp'], content: ['A lamp.'] },
  ],
  [
    'a name compares with the text of HTML content',
    'note',
    { name: ['A lamp'], content: [{ html: '<p>A lamp</p>' }] },
  ],
  ['empty content gives way to the summary', 'article', { name: ['N'], content: ['', ' '], summary: ['S'] }],
  ['a name without any text is a note', 'note', { name: ['On porches'] }],
  ['an empty name is a note', 'note', { name: ['  '], content: ['Hello'] }],
  ['a photo is a photo, with a name too', 'photo', { photo: [url], name: ['N'], content: ['C'] }],
  ['a photo with an alt text is a photo', 'photo', { photo: [{ value: url, alt: 'A lamp' }] }],
  ['a video goes before its photo', 'video', { photo: [url], video: [url] }],
  ['audio is audio', 'audio', { audio: [url], content: ['Listen'] }],
  ['a photo reply is a reply', 'reply', { 'in-reply-to': [url], photo: [url] }],
  [
    'a reply to a nested citation is a reply',
    'reply',
    { 'in-reply-to': [{ type: ['h-cite'], properties: { url: [url] } }] },
  ],
  ['a like goes before a reply', 'like', { 'like-of': [url], 'in-reply-to': [url] }],
  ['a repost goes before a like', 'repost', { 'repost-of': [url], 'like-of': [url] }],
  ['an rsvp goes before the reply that it is', 'rsvp', { rsvp: ['YES'], 'in-reply-to': [url] }],
  ['an unknown rsvp leaves a reply', 'reply', { rsvp: ['perhaps'], 'in-reply-to': [url] }],
  ['a bookmark with a name is a bookmark', 'bookmark', { 'bookmark-of': [url], name: ['N'], content: ['C'] }],
  [
    'a checkin with a photo is a checkin',
    'checkin',
    { checkin: [{ type: ['h-card'], properties: {} }], photo: [url] },
  ],
  ['a reply from a place is a reply', 'reply', { 'in-reply-to': [url], checkin: ['The porch'] }],
  ['a bookmark from a place is a bookmark', 'bookmark', { 'bookmark-of': [url], checkin: ['The porch'] }],
  ['an entry with a start is no event', 'note', { start: ['2026-11-22'], content: ['C'] }],
  [
    'what is no web address is no like',
    'note',
    { 'like-of': ['javascript:alert(1)', 7, null], content: ['C'] },
  ],
];

describe('PT-4 post type discovery', () => {
  test.each(cases)('%s', (_, kind, properties) => {
    expect(postKindOf({ type: ['h-entry'], properties })).toBe(kind);
  });

  test('an event is an event, whatever it holds', () => {
    expect(postKindOf({ type: ['h-event'], properties: { 'like-of': [url], photo: [url] } })).toBe('event');
  });

  test('a title is a name that is more than the beginning of the text', () => {
    expect(hasTitle({ name: ['On  porches'] }, 'A lamp.')).toBe(true);
    expect(hasTitle({ name: ['On porches'] }, '')).toBe(true);
    expect(hasTitle({ name: [' A  lamp'] }, 'A lamp. It is on.')).toBe(false);
    expect(hasTitle({ name: [' '] }, 'A lamp.')).toBe(false);
    expect(hasTitle({}, '')).toBe(false);
  });
});
