import { describe, expect, test } from 'vitest';
import type { Post, Properties } from '../../../../src-main/contract/posts.ts';
import { shownContent } from '../../../../src-main/posts/rendering/contents.ts';
import { appearanceOf } from '../../../../src-main/site/appearance.ts';
import { postPage } from '../../../../src-main/site/post-page.ts';
import { siteInfo } from '../../../../src-main/site/frame.ts';
import { linksOfPost } from '../../../../src-main/mentions/sending/plan.ts';
import { pageLinks } from '../../../../src-main/mentions/receiving/source/exact-link.ts';
import { ann, plainSite, postOf } from '../../../support/site.ts';

const base = 'https://me.example';
const path = '/posts/2026/11/post';
const links = (properties: Properties) => linksOfPost({ properties, path }, base);
const html = (markup: string) => links({ content: [{ html: markup }] });
const there = 'https://bo.example/post';

const cite = (properties: Record<string, unknown[]>) => ({ type: ['h-cite'], properties });

const table: readonly (readonly [string, Properties, readonly string[]])[] = [
  ['a reply', { 'in-reply-to': [there] }, [there]],
  ['a like', { 'like-of': [there] }, [there]],
  ['a repost', { 'repost-of': [there] }, [there]],
  ['a bookmark', { 'bookmark-of': [there] }, [there]],
  ['an RSVP', { rsvp: ['yes'], 'in-reply-to': [there] }, [there]],
  [
    'what was read, watched, heard',
    {
      'read-of': ['https://a.example/'],
      'watch-of': ['https://b.example/'],
      'listen-of': ['https://c.example/'],
    },
    ['https://a.example/', 'https://b.example/', 'https://c.example/'],
  ],
  ['a follow', { 'follow-of': [there] }, [there]],
  [
    'several replies in one',
    { 'in-reply-to': [there, 'https://cy.example/1'] },
    [there, 'https://cy.example/1'],
  ],
  ['a cited page', { 'in-reply-to': [cite({ url: [there], name: ['Light'] })] }, [there]],
  ['a cited page that has only a value', { 'like-of': [{ ...cite({}), value: there }] }, [there]],
  [
    'not what a cited page says',
    {
      'in-reply-to': [
        cite({
          url: [there],
          content: [{ html: '<a href="https://cy.example/1">x</a>' }],
          author: [{ type: ['h-card'], properties: { url: ['https://bo.example/'] } }],
        }),
      ],
    },
    [there],
  ],
  [
    'people who are tagged',
    {
      category: [
        'porch',
        'https://bo.example/',
        {
          type: ['h-card'],
          properties: { name: ['Cy'], url: ['https://cy.example/'] },
        },
      ],
    },
    ['https://bo.example/', 'https://cy.example/'],
  ],
  [
    'bare links in a text',
    { content: [`See ${there}, (https://cy.example/1) and https://d.example/a_(b).`] },
    [there, 'https://cy.example/1', 'https://d.example/a_(b)'],
  ],
  ['the text of a value', { content: [{ value: `Look: ${there}` }] }, [there]],
  ['each page once', { 'in-reply-to': [there], content: [`${there} and ${there}`] }, [there]],
  [
    'a fragment and a query as they are',
    { content: ['https://bo.example/?a=1&b=%20#part'] },
    ['https://bo.example/?a=1&b=%20#part'],
  ],
  [
    'an address with Unicode, in ASCII',
    { 'like-of': ['HTTPS://Bo.Example/ü'] },
    ['https://bo.example/%C3%BC'],
  ],
  ['own posts', { 'in-reply-to': [`${base}/posts/2026/11/other`] }, [`${base}/posts/2026/11/other`]],
  ['own posts by their path', { 'in-reply-to': ['/posts/2026/11/other'] }, [`${base}/posts/2026/11/other`]],
];

describe('WS-8 a post links', () => {
  test.each(table)('%s', (_, properties, expected) => {
    expect(links(properties)).toEqual(expected);
  });

  test.each(table)('%s: as its page does, letter by letter', (_, properties, expected) => {
    const shown = pageLinks(pageOf(properties), base).links.map(({ value }) => value);
    expect(shown).toEqual(expect.arrayContaining([...expected]));
  });
});

describe('WS-8 links in the HTML of a content', () => {
  const contents: readonly (readonly [string, string, readonly string[]])[] = [
    ['as they are', `<p><a href="${there}">x</a></p>`, [there]],
    [
      'with character references',
      '<a href="https://bo.example/?a=1&amp;b=2">x</a>',
      ['https://bo.example/?a=1&b=2'],
    ],
    ['made absolute', '<a href="/posts/2026/11/other">x</a>', [`${base}/posts/2026/11/other`]],
    ['without a scheme', '<a href="//bo.example/post">x</a>', ['https://bo.example/post']],
    ['spelled as the page spells them', '<a href="https://BO.example">x</a>', ['https://bo.example/']],
    ['deep inside', `<blockquote><ul><li><em><a href="${there}">x</a></em></li></ul></blockquote>`, [there]],
    [
      'in what is not allowed, where its text stays',
      `<article><font><a href="${there}">x</a></font></article>`,
      [there],
    ],
  ];

  test.each(contents)('%s are notified', (_, markup, expected) => {
    expect(html(markup)).toEqual(expected);
    const shown = pageLinks(pageOf({ content: [{ html: markup }] }), base).links.map(({ value }) => value);
    expect(shown).toEqual(expect.arrayContaining([...expected]));
  });

  test.each([
    ['a comment', `<!-- <a href="${there}">x</a> -->`],
    ['a script', `<script>"<a href='${there}'>x</a>"</script>`],
    ['a style', `<style>/* <a href="${there}">x</a> */</style>`],
    ['a text area', `<textarea><a href="${there}">x</a></textarea>`],
    ['escaped text', `&lt;a href="${there}"&gt;x&lt;/a&gt;`],
    ['bare text', `<p>${there}</p>`],
    ['a script as an address', '<a href="javascript:alert(1)">x</a>'],
    ['a mail', '<a href="mailto:bo@bo.example">x</a>'],
    ['an address with a name and a password', '<a href="https://me:secret@bo.example/">x</a>'],
    ['a place in the post', `<a href="${base}${path}#part">x</a>`],
    ['no address', '<a href="https://[">x</a><a>y</a>'],
  ])('%s tells nobody', (_, markup) => {
    expect(html(markup)).toEqual([]);
  });
});

test.each<[string, Properties]>([
  ['copies elsewhere', { syndication: ['https://social.example/1'] }],
  ['files', { photo: ['https://files.example/1.jpg'], video: [{ value: 'https://files.example/2' }] }],
  [
    'places',
    { location: ['https://places.example/1'], checkin: [{ type: ['h-card'], properties: { url: [there] } }] },
  ],
  ['words', { category: ['porch', 'https:'], 'in-reply-to': ['', 'mailto:bo@bo.example', 5, null] }],
  ['properties that the page does not show', { url: [there], author: [there], 'x-link': [there] }],
  ['only the first content counts, as on the page', { content: ['words', there] }],
  ['what every object has', { constructor: [there] }],
])('nobody is notified of %s', (_, properties) => {
  expect(links(properties)).toEqual([]);
});

test('a post tells 500 pages and no more', () => {
  const many = Array.from({ length: 700 }, (_, index) => `https://bo.example/${index}`);
  expect(links({ content: [many.join(' ')] })).toEqual(many.slice(0, 500));
});

test('an address of thousands of characters is no target', () => {
  expect(links({ 'like-of': [`https://bo.example/${'a'.repeat(5000)}`] })).toEqual([]);
});

const noResponses = { items: [], counts: {}, answers: new Map<string, number>(), page: 1, pages: 1 };

function pageOf(properties: Properties): string {
  const info = siteInfo(plainSite, { profile: { ...ann, name: 'Me', url: base }, photo: null, base });
  const frame = { base, author: info.author, links: [], info, appearance: appearanceOf(plainSite) };
  const view = { ...frame, contentOf: (post: Post) => shownContent(post, base), shown: () => undefined };
  return postPage(view, postOf(properties), noResponses).body.markup;
}

test('HTML with too many tags has the links of its text, as the site shows it', () => {
  const html = `${'<i>'.repeat(400_000)}https://bo.example/there <a href="https://bo.example/hidden">x</a>`;
  expect(links({ content: [{ html }] })).toEqual(['https://bo.example/there']);
});
