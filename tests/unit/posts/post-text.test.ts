import { describe, expect, test } from 'vitest';
import type { PostText } from '../../../src-main/contract/writing.ts';
import type { PostContent } from '../../../src-main/posts/post-store.ts';
import { markdownHtml } from '../../../src-main/posts/markdown.ts';
import { contentOfText, textOfPost } from '../../../src-main/posts/post-text.ts';

const base = 'https://porch.example';
const url = `${base}/media/2026/11/a.jpg`;
const empty: PostText = {
  text: '',
  format: 'plain',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};
const written = (text: Partial<PostText>) => contentOfText({ ...empty, ...text }, base, markdownHtml);
const refused = expect.objectContaining({ code: 'invalid_request', status: 400 }) as Error;

describe('a new post', () => {
  test('in plain text stays plain text', () => {
    expect(written({ text: '  Hello <b>\n' })).toEqual({
      type: ['h-entry'],
      properties: { content: ['Hello <b>'] },
      commands: {},
      status: 'published',
      visibility: 'public',
    });
  });

  test('in Markdown is HTML with its source beside it, and HTML in it stays text', () => {
    const { properties, markdown } = written({ text: 'So *good* <script>', format: 'markdown' });
    expect(properties.content).toEqual([{ html: '<p>So <em>good</em> &lt;script&gt;</p>' }]);
    expect(markdown).toBe('So *good* <script>');
  });

  test('has photos with the alt texts that are not empty', () => {
    const photos = [
      { url, alt: ' A cat ' },
      { url, alt: ' ' },
    ];
    expect(written({ photos }).properties).toEqual({ photo: [{ value: url, alt: 'A cat' }, url] });
  });

  test('has covers apart from photos, and both come back', () => {
    const cover = { url, alt: 'A porch' };
    const post = written({ name: 'Title', text: 'x', featured: [cover] });
    expect(post.properties).toEqual({
      content: ['x'],
      name: ['Title'],
      featured: [{ value: url, alt: 'A porch' }],
    });
    expect(textOfPost(post, base)).toMatchObject({ photos: [], featured: [cover] });
    const without = contentOfText({ featured: [] }, base, markdownHtml, post);
    expect(without.properties).toEqual({ content: ['x'], name: ['Title'] });
    const other = contentOfText({ text: 'y' }, base, markdownHtml, post);
    expect(other.properties['featured']).toEqual(post.properties['featured']);
    expect(written({ featured: [cover] }).properties).toHaveProperty('featured');
  });

  test('that is a response an app made, such as a book, may lose its text', () => {
    const post: PostContent = {
      type: ['h-entry'],
      commands: {},
      status: 'published',
      visibility: 'public',
      properties: { 'read-of': ['https://books.example/1'], content: ['Good.'] },
    };
    expect(contentOfText({ text: '' }, base, markdownHtml, post).properties).toEqual({
      'read-of': ['https://books.example/1'],
    });
  });

  test('has each category once, and none that is empty', () => {
    expect(written({ text: 'x', categories: ['a', ' a ', ' ', 'b'] }).properties.category).toEqual([
      'a',
      'b',
    ]);
  });

  test('stays a draft when an app reads and writes its properties', () => {
    const { properties, status } = written({ text: 'x', status: 'draft' });
    expect([properties, status]).toEqual([{ content: ['x'], 'post-status': ['draft'] }, 'draft']);
  });

  test('names its visibility among its properties', () => {
    const { properties, visibility } = written({ text: 'x', visibility: 'private' });
    expect([properties.visibility, visibility]).toEqual([['private'], 'private']);
  });

  test('of each kind has the properties of its kind', () => {
    const there = 'https://there.example/';
    expect(written({ text: 'x', name: 'Title', summary: 'Short' }).properties).toMatchObject({
      name: ['Title'],
      summary: ['Short'],
    });
    expect(written({ likeOf: there }).properties).toEqual({ 'like-of': [there] });
    expect(written({ repostOf: there }).properties).toEqual({ 'repost-of': [there] });
    expect(written({ bookmarkOf: there }).properties).toEqual({ 'bookmark-of': [there] });
    expect(written({ inReplyTo: there, rsvp: 'yes' }).properties).toEqual({
      'in-reply-to': [there],
      rsvp: ['yes'],
    });
    expect(written({ text: 'x', syndicateTo: [there] }).commands).toEqual({ 'syndicate-to': [there] });
  });

  test.each<Partial<PostText>>([{}, { text: ' \n ' }, { categories: ['a'] }])('%j is empty', (text) => {
    expect(() => written(text)).toThrow(refused);
  });

  test.each(['javascript:alert(1)', '/media/2026/11/a.jpg', 'https://', ''])('%j is no photo', (address) => {
    expect(() => written({ photos: [{ url: address, alt: '' }] })).toThrow(refused);
  });

  test.each(['javascript:alert(1)', 'there'])('%j is no page to reply to', (address) => {
    expect(() => written({ text: 'x', inReplyTo: address })).toThrow(refused);
  });

  test.each(['+010000-01-01T00:00:00Z', '10000-01-01', 'tomorrow', '2026-13-40'])(
    '%j is no date',
    (published) => {
      expect(() => written({ text: 'x', published })).toThrow(refused);
    },
  );

  test('an RSVP answers an invitation', () => {
    expect(() => written({ text: 'x', rsvp: 'yes' })).toThrow(refused);
  });
});

describe('an edited post', () => {
  const post: PostContent = {
    type: ['h-entry'],
    properties: {
      content: [{ html: '<p>Old <i>words</i></p>' }],
      category: ['a', { type: ['h-card'], properties: { name: ['Ada'] } }],
      'in-reply-to': [{ type: ['h-cite'], properties: { url: ['https://there.example/'], name: ['There'] } }],
      photo: [{ value: url, alt: 'A cat' }, url],
      location: ['geo:52,13'],
      published: ['2026-11-20T12:00:00Z'],
    },
    commands: { channel: ['notes'] },
    status: 'published',
    visibility: 'public',
  };

  test('keeps everything that the owner left alone', () => {
    expect(contentOfText(textOfPost(post, base), base, markdownHtml, post)).toEqual(post);
    expect(contentOfText({}, base, markdownHtml, post)).toEqual(post);
  });

  test('is read as it is written', () => {
    const text = textOfPost(post, base);
    expect(text).toEqual({
      text: '<p>Old <i>words</i></p>',
      format: 'html',
      visibility: 'public',
      status: 'published',
      photos: [
        { url, alt: 'A cat' },
        { url, alt: '' },
      ],
      categories: ['a'],
      published: '2026-11-20T12:00:00Z',
      inReplyTo: 'https://there.example/',
    });
  });

  test('keeps the categories that the form does not show', () => {
    const { properties } = contentOfText({ categories: ['b'] }, base, markdownHtml, post);
    expect(properties.category).toEqual(['b', { type: ['h-card'], properties: { name: ['Ada'] } }]);
  });

  test('loses a property whose field is emptied', () => {
    const { properties } = contentOfText({ inReplyTo: '', photos: [] }, base, markdownHtml, post);
    expect(Object.keys(properties)).toEqual(['content', 'category', 'location', 'published']);
  });

  test('written in Markdown is edited as Markdown', () => {
    const markdown = contentOfText({ ...empty, text: '*One*', format: 'markdown' }, base, markdownHtml);
    expect(textOfPost(markdown, base)).toMatchObject({ text: '*One*', format: 'markdown' });
    expect(contentOfText({ text: '*Two*' }, base, markdownHtml, markdown)).toMatchObject({
      properties: { content: [{ html: '<p><em>Two</em></p>' }] },
      markdown: '*Two*',
    });
  });

  test('whose content the form cannot hold is refused', () => {
    const two = { ...post, properties: { content: ['One', 'Two'] } };
    expect(() => textOfPost(two, base)).toThrow(
      expect.objectContaining({ code: 'not_editable', status: 409 }),
    );
  });

  test('that is longer than the form takes is refused, not cut', () => {
    const long = { ...post, properties: { content: ['x'.repeat(200_001)] } };
    expect(() => textOfPost(long, base)).toThrow(expect.objectContaining({ code: 'not_editable' }));
  });
});
