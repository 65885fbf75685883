import { expect, test } from 'vitest';
import { contentOfNote, type Note } from '../../../src-main/micropub/note.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const empty: Note = { content: '', photos: [], categories: [], visibility: 'public', status: 'published' };
const noted = (note: Partial<Note>) => contentOfNote({ ...empty, ...note }, now);
const url = 'https://porch.example/media/2026/11/a.jpg';

test('a note is plain text, published now', () => {
  expect(noted({ content: '  Hello <b>\n' })).toEqual({
    type: ['h-entry'],
    properties: { content: ['Hello <b>'], published: ['2026-11-20T12:00:00.000Z'] },
    commands: {},
    status: 'published',
    visibility: 'public',
  });
});

test('a photo carries the words that stand for it, where there are any', () => {
  const { properties } = noted({
    photos: [
      { url, alt: ' A cat ' },
      { url, alt: ' ' },
    ],
  });
  expect(properties).toEqual({
    photo: [{ value: url, alt: 'A cat' }, url],
    published: ['2026-11-20T12:00:00.000Z'],
  });
});

test('categories come once each, and none is empty', () => {
  expect(noted({ content: 'x', categories: ['a', ' a ', ' ', 'b'] }).properties.category).toEqual(['a', 'b']);
});

test('a draft has no date yet, and stays a draft when an app reads and writes its properties', () => {
  const { properties, status } = noted({ content: 'x', status: 'draft' });
  expect([properties, status]).toEqual([{ content: ['x'], 'post-status': ['draft'] }, 'draft']);
});

test('who may see it stands among its properties too', () => {
  const { properties, visibility } = noted({ content: 'x', visibility: 'private' });
  expect([properties.visibility, visibility]).toEqual([['private'], 'private']);
});

test.each<Partial<Note>>([{}, { content: ' \n ' }, { categories: ['a'] }])(
  'there is nothing to post in %j',
  (note) => {
    expect(() => noted(note)).toThrow(expect.objectContaining({ code: 'invalid_request', status: 400 }));
  },
);

test.each(['javascript:alert(1)', '/media/2026/11/a.jpg', 'https://', ''])('%j is no photo', (address) => {
  expect(() => noted({ photos: [{ url: address, alt: '' }] })).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
});
