import { mf2 } from 'microformats-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { feedProblems } from '../../support/feed-rules.ts';
import { drawing } from '../../support/picture-samples.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const empty: PostText = {
  text: '',
  format: 'plain',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};
const published = '2026-11-20T09:00:00+01:00';
const text = 'Tea on the porch, & <b>biscuits</b>.';
const textHtml = { html: '<p>Tea on the porch, &amp; &lt;b&gt;biscuits&lt;/b&gt;.</p>', value: text };

let porchlight: Porchlight;
let site: Site;
let there: string;
let photo: string;

beforeAll(async () => {
  site = await openSite();
  there = `${site.origin}/there`;
  porchlight = await startPorchlight();
  await porchlight.call('settings.update', { profile: { name: 'Ann Marlow' } });
  const data = (await drawing().jpeg().toBuffer()).toString('base64');
  photo = (await porchlight.call('media.upload', { name: 'porch.jpg', data })).url;
});
afterAll(async () => {
  await porchlight.remove();
  await site.close();
});

/** Creates a post, and returns what a microformats parser finds on its page. */
async function parsed(written: Partial<PostText>) {
  const { url } = await porchlight.call('posts.create', { ...empty, published, ...written });
  const { items } = mf2(await (await fetch(url)).text(), { baseUrl: url });
  const [entry, ...others] = items.filter(({ type }) => type?.includes('h-entry'));
  expect(others).toEqual([]);
  const { author, url: addresses, uid, published: dates, ...said } = entry?.properties ?? {};
  expect(author).toMatchObject([
    { type: ['h-card'], properties: { name: ['Ann Marlow'], url: ['https://owner.example/'] } },
  ]);
  expect([addresses, uid, dates]).toEqual([[url], [url], [published]]);
  return said;
}

describe('a post of each kind that the owner creates is on its page what was entered', () => {
  test('note', async () => {
    expect(await parsed({ text, categories: ['tea', 'Über uns'] })).toEqual({
      content: [textHtml],
      category: ['tea', 'Über uns'],
    });
  });

  test('article in Markdown', async () => {
    const written = {
      name: 'On “porches” & tea',
      summary: 'A < B',
      text: '## Why\n\n*Because*',
      format: 'markdown',
    } as const;
    expect(await parsed(written)).toEqual({
      name: ['On “porches” & tea'],
      summary: ['A < B'],
      content: [{ html: '<h2>Why</h2>\n<p><em>Because</em></p>', value: 'Why\nBecause' }],
    });
  });

  test.each(['plain', 'markdown'] as const)('#tags in %s text, which are categories', async (format) => {
    const { category } = await parsed({ text: 'Tea on the #porch, again #tea', format, categories: ['tea'] });
    expect(category).toEqual(['tea', 'porch']);
  });

  test('photos, with their alt text', async () => {
    expect(
      await parsed({
        text,
        photos: [
          { url: photo, alt: 'A "porch"' },
          { url: photo, alt: '' },
        ],
      }),
    ).toEqual({
      content: [textHtml],
      photo: [{ value: photo, alt: 'A "porch"' }, photo],
    });
  });

  test('an article with everything that the form has', async () => {
    const written: Partial<PostText> = {
      name: 'Winter 🌨️',
      summary: 'In “short”',
      text: 'One\n\n- two\n- https://bo.example/?a=1&b=2',
      format: 'markdown',
      categories: ['tea'],
      photos: [{ url: photo, alt: 'A porch' }],
      slug: 'winter',
      visibility: 'unlisted',
    };
    const url = 'https://bo.example/?a=1&b=2';
    const link = `<a href="${url.replace('&', '&amp;')}">${url.replace('&', '&amp;')}</a>`;
    expect(await parsed(written)).toEqual({
      name: [written.name],
      summary: [written.summary],
      content: [
        { html: `<p>One</p>\n<ul>\n<li>two</li>\n<li>${link}</li>\n</ul>`, value: `One\n\ntwo\n${url}` },
      ],
      category: ['tea'],
      photo: [{ value: photo, alt: 'A porch' }],
    });
  });

  test('a reply and an RSVP to a page that was fetched, with its author, name and excerpt beside it', async () => {
    const cited = `${site.origin}/cited`;
    site.pages.set(
      '/cited',
      page(
        '<article class="h-entry"><a class="p-author h-card" href="https://bo.example/">Bo</a>' +
          '<h1 class="p-name">Tea at five</h1><div class="e-content">Bring a cup.</div></article>',
      ),
    );
    await porchlight.call('posts.preview', { post: { ...empty, inReplyTo: cited } });
    const reply = await parsed({ text, inReplyTo: cited });
    const context = [
      {
        type: ['h-cite'],
        value: cited,
        properties: {
          url: [cited],
          name: ['Tea at five'],
          author: [{ properties: { name: ['Bo'], url: ['https://bo.example/'] } }],
          content: ['Bring a cup.'],
        },
      },
    ];
    expect(reply).toMatchObject({ content: [textHtml], 'in-reply-to': context });
    const rsvp = await parsed({ text, inReplyTo: cited, rsvp: 'yes' });
    expect(rsvp).toMatchObject({ content: [textHtml], rsvp: ['yes'], 'in-reply-to': context });
  });

  test('reply, like, repost and bookmark', async () => {
    expect(await parsed({ text, inReplyTo: there })).toEqual({ content: [textHtml], 'in-reply-to': [there] });
    expect(await parsed({ likeOf: there })).toEqual({ 'like-of': [there] });
    expect(await parsed({ repostOf: there })).toEqual({ 'repost-of': [there] });
    expect(await parsed({ bookmarkOf: there, name: 'There' })).toEqual({
      'bookmark-of': [there],
      name: ['There'],
    });
  });

  test.each(['yes', 'no', 'maybe', 'interested'] as const)('RSVP: %s', async (rsvp) => {
    expect(await parsed({ inReplyTo: there, rsvp })).toEqual({ 'in-reply-to': [there], rsvp: [rsvp] });
  });
});

test('the feeds of all these posts keep the validator’s rules, and hold each post that lists show', async () => {
  const { items } = await porchlight.call('posts.list', { limit: 100 });
  const listed = items.filter(({ visibility }) => visibility === 'public');
  expect(new Set(listed.map(({ kind }) => kind)).size).toBe(8);
  const kinds = [...new Set(listed.map(({ kind }) => `/kinds/${kind}`))];
  for (const place of ['', '/categories/tea', ...kinds])
    for (const format of ['atom', 'rss', 'json']) {
      const url = `${porchlight.base}${place}/feed.${format}`;
      const response = await fetch(url);
      const feed = { url, contentType: response.headers.get('content-type'), text: await response.text() };
      expect(feedProblems(feed), url).toEqual([]);
      if (place === '')
        for (const { url: post } of listed) expect(feed.text, `${post} in ${url}`).toContain(post);
    }
});
