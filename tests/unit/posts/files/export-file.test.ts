import { parse } from 'yaml';
import { expect, test } from 'vitest';
import type { Post, Properties } from '../../../../src-main/contract/posts.ts';
import { siteAuthor } from '../../../../src-main/posts/rendering/author.ts';
import { shownContent } from '../../../../src-main/posts/rendering/contents.ts';
import { postExportFile } from '../../../../src-main/posts/files/post-file.ts';
import { ann, postOf } from '../../../support/site.ts';

const base = 'https://ann.example';
const noon = { path: '/media/2026/11/noon.png', type: 'image/png', bytes: 9, width: 60, height: 40 };

function fileOf(properties: Properties, over: Partial<Post> = {}) {
  const post = postOf(properties, over);
  const { name, text } = postExportFile(post, {
    base,
    author: siteAuthor(ann, base),
    contentOf: () => shownContent(post, base),
    shown: (url) => (url.endsWith('/noon.png') ? noon : undefined),
  });
  const [, front = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  return { name, front: parse(front) as Record<string, unknown>, body };
}

test('a post’s own files have addresses from the root, and others stay links', () => {
  const { front, body } = fileOf({
    photo: [
      { value: `${base}/media/2026/11/noon.png`, alt: 'Noon' },
      { value: 'https://old.example/media/2026/11/noon.png', alt: 'Before the move' },
      'https://bo.example/far.png',
    ],
    content: [`See ${base}/media/2026/11/noon.png and ${base}/posts/2026/11/other`],
  });
  expect(front['photo']).toEqual([
    { url: noon.path, alt: 'Noon' },
    { url: noon.path, alt: 'Before the move' },
    { url: 'https://bo.example/far.png', alt: '' },
  ]);
  expect(body).toContain(`src="${noon.path}" alt="Before the move"`);
  expect(body).toContain('href="https://bo.example/far.png"');
  expect(body).toContain(`<a href="${noon.path}" dir="ltr">${base}/media/2026/11/noon.png</a>`);
  expect(body).toContain(`href="${base}/posts/2026/11/other"`);
});

test('the front matter names the pages that a post responds to, cited ones too', () => {
  const cited = { type: ['h-cite'], properties: { url: ['https://bo.example/cited'] } };
  const { front } = fileOf({
    'in-reply-to': ['https://bo.example/plain', cited],
    'like-of': ['javascript:alert(1)'],
    rsvp: ['maybe'],
  });
  expect(front).toMatchObject({
    'in-reply-to': ['https://bo.example/plain', 'https://bo.example/cited'],
    rsvp: 'maybe',
    postType: 'rsvp',
  });
  expect(front).not.toHaveProperty('like-of');
});

test('each audience has a folder, and a post that is not public says so itself', () => {
  const file = '2026/11/2026-11-21-one.html';
  const content = { content: ['Hello'] };
  expect(fileOf(content)).toMatchObject({ name: `content/_posts/${file}` });
  expect(fileOf(content).front).not.toHaveProperty('draft');
  expect(fileOf(content, { visibility: 'unlisted' })).toMatchObject({
    name: `content/_unlisted/${file}`,
    front: { visibility: 'unlisted', eleventyExcludeFromCollections: true },
  });
  expect(fileOf(content, { status: 'draft', visibility: 'unlisted' })).toMatchObject({
    name: `drafts/${file}`,
    front: { draft: true },
  });
  expect(fileOf(content, { visibility: 'private' })).toMatchObject({
    name: `private/${file}`,
    front: { draft: true, published: false },
  });
});

test.each([
  ['2026-10-31T23:30:00-01:00', '2026-10-31T23:30:00-01:00'],
  ['2026-10-31 23:30+0545', '2026-10-31T23:30:00+05:45'],
  ['2026-10-31T23:30:15.123Z', '2026-10-31T23:30:15+00:00'],
  ['2026-10-31', '2026-10-31T00:00:00+00:00'],
  ['yesterday', '2026-11-21T14:05:00+00:00'],
])('a post that was published at %s has the date %s', (published, date) => {
  const { name, front } = fileOf({ published: [published], content: ['Hello'] });
  expect(front['date']).toBe(date);
  expect(name).toBe(`content/_posts/2026/11/${date.slice(0, 10)}-one.html`);
});

test('a post without a name is untitled, but themes find a title', () => {
  expect(fileOf({ content: ['Hello there'] }).front).toMatchObject({ title: 'Hello there', untitled: true });
  expect(fileOf({ 'like-of': ['https://bo.example/a'] }).front).toMatchObject({
    title: 'Liked bo.example/a',
    untitled: true,
  });
  expect(fileOf({ name: ['yes'], content: ['Text'] }).front).toMatchObject({ title: 'yes' });
});

test('no text ends the front matter early, and no template is left in the body', () => {
  const odd = 'One\n---\ntwo \u0000\u0085\uD800 {{ x }}';
  const { front, body } = fileOf({
    name: [odd],
    category: [odd, 'constructor', 'tea'],
    content: ['{% x %}'],
  });
  expect(front['title']).toBe('One --- two \uFFFD {{ x }}');
  expect(front['tags']).toEqual(['One\n---\ntwo \n\uFFFD {{ x }}', 'tea']);
  expect(body).not.toContain('{');
});
