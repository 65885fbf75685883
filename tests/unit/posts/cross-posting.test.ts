import { expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { crossPostTargets, updatesCopies } from '../../../src-main/posts/cross-posting.ts';
import { shownContent } from '../../../src-main/posts/rendering/contents.ts';
import { crossPostMarkup } from '../../../src-main/posts/rendering/entry.ts';
import { htmlPostBody } from '../../../src-main/posts/files/post-file.ts';
import { postOf } from '../../support/site.ts';

const bridgy = 'https://brid.gy/publish/mastodon';
const indieNews = 'https://news.indieweb.org/en';
const offered = [bridgy, indieNews, 'shelf', 'mailto:ada@example.org', 'https://ada:secret@service.example/'];
const post = (over: Partial<Post> = {}) =>
  postOf({ content: ['Fog'] }, { commands: { 'syndicate-to': offered }, ...over });

test('a public post goes to the chosen targets that are web addresses', () => {
  expect(crossPostTargets(post(), offered)).toEqual([bridgy, indieNews]);
  expect(crossPostTargets(post({ commands: { 'syndicate-to': [indieNews, 7] } }), offered)).toEqual([
    indieNews,
  ]);
  expect(crossPostTargets(post({ commands: {} }), offered)).toEqual([]);
});

test('a post goes to no target that the owner doesn’t offer', () => {
  expect(crossPostTargets(post(), [])).toEqual([]);
  expect(
    crossPostTargets(post({ commands: { 'syndicate-to': ['https://evil.example/'] } }), offered),
  ).toEqual([]);
});

test.each<[string, Partial<Post>]>([
  ['a draft', { status: 'draft' }],
  ['a private post', { visibility: 'private' }],
  ['an unlisted post', { visibility: 'unlisted' }],
  ['a deleted post', { deletedAt: '2026-11-21T14:30:00.000Z' }],
])('a post to %s goes nowhere', (_, over) => {
  expect(crossPostTargets(post(over), offered)).toEqual([]);
});

test('the page links to Bridgy plainly, and to other services as a category', () => {
  expect(crossPostMarkup(post(), { targets: offered })?.markup).toBe(
    `<a href="${bridgy}" hidden></a><a class="u-category" href="${indieNews}" hidden></a>`,
  );
  expect(crossPostMarkup(post(), {})).toBeNull();
});

test('the page links to Bridgy Fed as Bridgy Fed documents it, and only on a public post', () => {
  const uid = 'https://fed.brid.gy/';
  const chosen = { commands: { 'syndicate-to': [uid] } };
  const link = `<a class="u-bridgy-fed" href="${uid}" hidden></a>`;
  expect(crossPostMarkup(post(chosen), { targets: [uid] })?.markup).toBe(link);
  for (const visibility of ['unlisted', 'private'] as const)
    expect(crossPostMarkup(post({ ...chosen, visibility }), { targets: [uid] })).toBeNull();
});

test.each([
  ['https://fed.brid.gy/', true],
  ['https://news.indieweb.org/de', true],
  [bridgy, false],
  ['https://service.example/', false],
])('whether %s is known to update its copies: %s', (url, updates) => {
  expect(updatesCopies(url)).toBe(updates);
});

test('a post on the owner’s own site has the links too', () => {
  const view = {
    base: 'https://porch.example',
    author: { name: 'Ada', url: 'https://ada.example/' },
    contentOf: (one: Post) => shownContent(one, 'https://porch.example'),
    shown: () => undefined,
    targets: offered,
  };
  const home = { url: 'https://ada.example/fog/', file: 'fog.md', former: [], written: {}, liveAt: null };
  expect(htmlPostBody({ ...post(), home }, view, (path) => path).text).toContain(
    `<a href="${bridgy}" hidden></a>`,
  );
});
