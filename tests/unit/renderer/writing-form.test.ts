import { describe, expect, test } from 'vitest';
import { writingKinds } from '../../../src-main/contract/post-kinds.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import {
  draftOf,
  emptyForm,
  formOf,
  hasField,
  isSamePost,
  textOf,
  withKind,
} from '../../../src-renderer/features/write/form.ts';
import { fieldTime, momentIn } from '../../../src-renderer/features/write/local-time.ts';
import { missingIn } from '../../../src-renderer/features/write/missing.ts';
import { pageContent, picturesIn } from '../../../src-renderer/ui/page-content.ts';

const post: PostText = {
  text: 'Words',
  format: 'plain',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};

describe('the form of a post', () => {
  test.each([
    ['note', {}],
    ['article', { name: 'Title' }],
    ['photo', { photos: [{ url: 'https://porch.example/media/a.jpg', alt: 'A' }] }],
    ['reply', { inReplyTo: 'https://wren.example/' }],
    ['like', { likeOf: 'https://wren.example/' }],
    ['repost', { repostOf: 'https://wren.example/' }],
    ['bookmark', { bookmarkOf: 'https://wren.example/', name: 'Later' }],
    ['rsvp', { inReplyTo: 'https://wren.example/', rsvp: 'maybe' }],
  ] as const)('of the kind %s returns the post’s properties', (kind, part) => {
    const written: PostText = { ...post, ...part, photos: 'photos' in part ? [...part.photos] : [] };
    const form = formOf(written);
    expect(form.kind).toBe(kind);
    expect(isSamePost(textOf(form, 'published'), written)).toBe(true);
  });

  test('shows fields that the kind lacks but the post has, so that saving does not drop them', () => {
    const form = formOf({ ...post, likeOf: 'https://wren.example/', name: 'A title', categories: ['cats'] });
    expect(hasField(form, 'name')).toBe(true);
    expect(textOf(form, 'published')).toMatchObject({ name: 'A title', categories: ['cats'], text: 'Words' });
  });

  test.each(writingKinds)('shows and saves the owner’s words and photos after the owner chose %s', (kind) => {
    const words = { text: 'Words', name: 'On porches', summary: 'One wall', categories: ['porch'] };
    const photo = { url: 'https://porch.example/media/a.jpg', alt: 'A' };
    const article = formOf({ ...post, ...words, photos: [photo] }, 'article');
    const form = withKind(article, kind);
    for (const field of ['text', 'name', 'summary', 'categories', 'photos'] as const)
      expect(hasField(form, field)).toBe(true);
    expect(textOf(form, 'published')).toMatchObject({ ...words, photos: [photo] });
    const reopened = formOf(textOf(form, 'draft'), kind);
    expect(withKind(reopened, 'article')).toMatchObject(words);
  });

  test('hides a field that the chosen kind lacks while it is empty, and shows photos that are dropped on it', () => {
    const like = withKind(emptyForm('article'), 'like');
    expect(hasField(like, 'text')).toBe(false);
    expect(hasField(like, 'photos')).toBe(false);
    const { photos } = formOf({ ...post, photos: [{ url: 'https://porch.example/media/a.jpg', alt: '' }] });
    expect(hasField({ ...like, photos }, 'photos')).toBe(true);
  });

  test('keeps the address of the other page for when the owner chooses a response again', () => {
    const reply = { ...emptyForm('reply'), inReplyTo: 'https://wren.example/' };
    const note = withKind(reply, 'note');
    expect(textOf(note, 'draft').inReplyTo).toBe('');
    expect(textOf(withKind(note, 'reply'), 'draft').inReplyTo).toBe('https://wren.example/');
  });

  test('as a draft leaves out half an address, an answer without an event, and a slug that is taken', () => {
    const form = {
      ...emptyForm('rsvp'),
      text: 'Hm',
      inReplyTo: 'https:/',
      rsvp: 'yes' as const,
      slug: 'party',
    };
    expect(draftOf(form, 'party')).toMatchObject({ text: 'Hm', inReplyTo: '', rsvp: '' });
    expect(draftOf(form, 'party').slug).toBeUndefined();
    expect(draftOf({ ...form, inReplyTo: 'https://wren.example/' }, null)).toMatchObject({
      inReplyTo: 'https://wren.example/',
      rsvp: 'yes',
      slug: 'party',
    });
  });

  test('names what keeps a post from being published', () => {
    const form = { ...emptyForm('rsvp'), inReplyTo: 'wren', slug: '!', published: '12026-01-01T00:00' };
    expect(Object.keys(missingIn(form, null))).toEqual(['address', 'rsvp', 'slug', 'published']);
    expect(missingIn({ ...emptyForm('note'), text: 'Hi' }, null)).toEqual({});
    expect(Object.keys(missingIn(emptyForm('article'), null))).toEqual(['name', 'text']);
  });
});

test('a date goes through the field in this computer’s time zone and stays the same moment', () => {
  const moment = '2026-11-22T14:05:00+05:30';
  expect(Date.parse(momentIn(fieldTime(moment)))).toBe(Date.parse(moment));
  expect(momentIn('')).toBe('');
  expect(fieldTime('no date')).toBe('');
});

describe('the preview', () => {
  const html =
    '<article><script>1</script><img src="https://porch.example/a.jpg" srcset="b 2x" alt="A cat">' +
    '<img src="https://evil.example/t.gif" alt=""><video src="https://x.example/v.mp4"></video><a href="https://x.example">x</a></article>';

  test('loads nothing: pictures are replaced by local ones or by an empty one', () => {
    const pictures = new Map([['https://porch.example/a.jpg', 'data:image/png;base64,AAAA']]);
    const page = pageContent(html, pictures);
    expect(page.querySelector('script')).toBeNull();
    expect([...page.querySelectorAll('img')].map(({ src }) => src)).toEqual([
      'data:image/png;base64,AAAA',
      expect.stringMatching(/^data:image\/svg\+xml,/),
    ]);
    expect(page.querySelector('[srcset], video[src]')).toBeNull();
    expect(page.querySelector('a')?.tabIndex).toBe(-1);
  });

  test('asks only for the pictures on the page', () => {
    expect(picturesIn(html)).toEqual(['https://porch.example/a.jpg', 'https://evil.example/t.gif']);
  });
});
