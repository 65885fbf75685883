import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Post, Properties } from '../../../src-main/contract/posts.ts';
import { readPage, type MicroformatsItem } from '../../../src-main/untrusted/pages/web-page.ts';
import { postOf, serveSite, type SiteServer } from '../../support/site.ts';

const there = 'https://other.example/a/post?x=1&y=2';
const card = {
  type: ['h-card'],
  properties: {
    name: ['Café “Zum Löwen” & Söhne'],
    url: ['https://loewen.example/'],
    locality: ['Köln'],
    'country-name': ['Germany'],
    latitude: ['50.94'],
    longitude: ['6.96'],
  },
};

/** A post of each kind, and what a program reads on its page where that is written differently. */
const kinds: { kind: string; properties: Properties; type?: string[]; read?: Properties }[] = [
  {
    kind: 'a note',
    properties: { content: ['Hello <b>you</b> & "them" 👋🏽'], category: ['one', 'two words', 'ü/ö'] },
    read: {
      content: [
        {
          value: 'Hello <b>you</b> & "them" 👋🏽',
          html: expect.stringContaining('Hello &lt;b&gt;you&lt;/b&gt; &amp;') as unknown,
        },
      ],
      category: ['one', 'two words', 'ü/ö'],
    },
  },
  {
    kind: 'an article',
    properties: {
      name: ['On <porches>'],
      summary: ['Short'],
      content: [{ html: '<p>Long <em>words</em></p>' }],
    },
    read: {
      name: ['On <porches>'],
      summary: ['Short'],
      content: [{ value: 'Long words', html: '<p>Long <em>words</em></p>' }],
    },
  },
  {
    kind: 'a photo',
    properties: {
      photo: [{ value: '/media/a.jpg', alt: 'A "red" door' }, '/media/b.jpg'],
      content: ['Look'],
    },
    read: {
      photo: [{ value: 'BASE/media/a.jpg', alt: 'A "red" door' }, 'BASE/media/b.jpg'],
    },
  },
  {
    kind: 'a photo kept elsewhere',
    properties: { photo: [{ value: 'https://other.example/p.jpg', alt: 'There' }] },
    read: { photo: ['https://other.example/p.jpg'] },
  },
  { kind: 'a video', properties: { video: ['/media/v.mp4'] }, read: { video: ['BASE/media/v.mp4'] } },
  { kind: 'a recording', properties: { audio: ['/media/a.mp3'] }, read: { audio: ['BASE/media/a.mp3'] } },
  {
    kind: 'a reply',
    properties: { 'in-reply-to': [there], content: ['Yes!'] },
    read: { 'in-reply-to': [there] },
  },
  {
    kind: 'a reply with context',
    properties: {
      'in-reply-to': [
        {
          type: ['h-cite'],
          properties: {
            url: [there],
            name: ['Their post'],
            author: [{ type: ['h-card'], properties: { name: ['Bo'], url: ['https://bo.example/'] } }],
            content: ['What they <said>'],
          },
        },
      ],
      content: ['Yes!'],
    },
    read: {
      'in-reply-to': [
        {
          type: ['h-cite'],
          value: there,
          properties: {
            url: [there],
            name: ['Their post'],
            author: [
              { type: ['h-card'], value: 'Bo', properties: { name: ['Bo'], url: ['https://bo.example/'] } },
            ],
            content: [{ value: 'What they <said>', html: '<p>What they &lt;said&gt;</p>' }],
          },
        },
      ],
    },
  },
  { kind: 'a like', properties: { 'like-of': [there] }, read: { 'like-of': [there] } },
  { kind: 'a repost', properties: { 'repost-of': [there] }, read: { 'repost-of': [there] } },
  {
    kind: 'a bookmark',
    properties: { 'bookmark-of': [there], name: ['A find'] },
    read: { 'bookmark-of': [there], name: ['A find'] },
  },
  {
    kind: 'an RSVP',
    properties: { rsvp: ['maybe'], 'in-reply-to': [there] },
    read: { rsvp: ['maybe'], 'in-reply-to': [there] },
  },
  {
    kind: 'an event',
    type: ['h-event'],
    properties: {
      name: ['Party'],
      start: ['2026-12-31T20:00:00+01:00'],
      end: ['2027-01-01T02:00:00+01:00'],
      location: ['At home'],
    },
    read: {
      name: ['Party'],
      start: ['2026-12-31T20:00:00+01:00'],
      end: ['2027-01-01T02:00:00+01:00'],
      location: ['At home'],
    },
  },
  {
    kind: 'X05 a book without a web address',
    properties: {
      'read-of': [
        {
          type: ['h-cite'],
          properties: { name: ['A Book'], author: ['Ann Author'], uid: ['isbn:9780000000000'] },
        },
      ],
      'read-status': ['finished'],
    },
    read: {
      'read-of': [
        {
          type: ['h-cite'],
          value: 'A Book',
          properties: { name: ['A Book'], author: ['Ann Author'], uid: ['isbn:9780000000000'] },
        },
      ],
      'read-status': ['finished'],
    },
  },
  {
    kind: 'a film by its title',
    properties: { 'watch-of': ['A Film & More'] },
    read: { 'watch-of': ['A Film & More'] },
  },
  {
    kind: 'a meal',
    properties: {
      ate: [{ type: ['h-food'], properties: { name: ['Pancakes'] } }],
      drank: ['Coffee'],
    },
    read: {
      ate: [{ type: ['h-cite'], value: 'Pancakes', properties: { name: ['Pancakes'] } }],
      drank: ['Coffee'],
    },
  },
  {
    kind: 'a song on repeat',
    properties: { 'jam-of': [there] },
    read: { 'jam-of': [there] },
  },
  {
    kind: 'NM05 an itinerary',
    properties: {
      itinerary: [
        {
          type: ['h-leg'],
          properties: {
            origin: ['Köln <Hbf>'],
            destination: ['Brussels'],
            departure: ['2026-12-01T08:15:00+01:00'],
          },
        },
        { type: ['h-leg'], properties: { origin: ['Brussels'], destination: ['London'] } },
      ],
    },
    read: {
      itinerary: [
        {
          type: ['h-leg'],
          value: expect.stringContaining('origin: Köln <Hbf>, destination: Brussels') as unknown,
          properties: {
            origin: ['Köln <Hbf>'],
            destination: ['Brussels'],
            departure: ['2026-12-01T08:15:00+01:00'],
          },
        },
        {
          type: ['h-leg'],
          value: 'origin: Brussels, destination: London',
          properties: { origin: ['Brussels'], destination: ['London'] },
        },
      ],
    },
  },
  {
    kind: 'a tag of a page',
    properties: {
      'tag-of': [there],
      weather: [{ temperature: 3, wind: { from: 'NW' } }],
      mood: ['calm'],
      duration: ['PT3M'],
    },
    read: {
      'tag-of': [there],
      weather: ['temperature: 3, wind: from: NW'],
      mood: ['calm'],
      duration: ['PT3M'],
    },
  },
  {
    kind: 'an event with organizers',
    type: ['h-event'],
    properties: {
      name: ['Meeting'],
      organizer: [
        { type: ['h-card'], properties: { name: ['Bo'], url: ['https://bo.example/'] } },
        'The club',
      ],
    },
    read: {
      organizer: [
        { type: ['h-card'], value: 'Bo', properties: { name: ['Bo'], url: ['https://bo.example/'] } },
        { type: ['h-card'], value: 'The club', properties: { name: ['The club'] } },
      ],
    },
  },
  {
    kind: 'a check-in',
    properties: { checkin: [card], content: ['Cake'] },
    read: { checkin: [{ ...card, value: 'https://loewen.example/' }] },
  },
  {
    kind: 'a note from somewhere',
    properties: { content: ['Here'], location: ['geo:50.94,6.96;u=10'] },
    read: {
      location: [
        { type: ['h-geo'], value: '50.94, 6.96', properties: { latitude: ['50.94'], longitude: ['6.96'] } },
      ],
    },
  },
  {
    kind: 'a note that tags somebody and was copied',
    properties: {
      content: ['Hi'],
      category: [{ type: ['h-card'], properties: { name: ['Bo'], url: ['https://bo.example/'] } }],
      syndication: ['https://social.example/1'],
    },
    read: {
      category: [
        {
          type: ['h-card'],
          value: 'https://bo.example/',
          properties: { name: ['Bo'], url: ['https://bo.example/'] },
        },
      ],
      syndication: ['https://social.example/1'],
    },
  },
];

const posts: Post[] = kinds.map(({ properties, type }, index) =>
  postOf(properties, { slug: `n${index}`, ...(type && { type }) }),
);
let site: SiteServer;
beforeAll(async () => void (site = await serveSite(posts)));
afterAll(() => site.close());

async function itemsAt(path: string): Promise<readonly MicroformatsItem[]> {
  const response = await site.get(path);
  return readPage({ url: response.url, linkHeader: null, text: await response.text() }).items;
}

const withBase = (value: unknown): unknown =>
  value instanceof Object && 'asymmetricMatch' in value
    ? value
    : Array.isArray(value)
      ? value.map(withBase)
      : value instanceof Object
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBase(one)]))
        : typeof value === 'string'
          ? value.replace(/^BASE/, site.base)
          : value;

describe.each(kinds.map((one, index) => ({ ...one, post: posts[index]! })))(
  '$kind',
  ({ post, type, read = {} }) => {
    test('is one object with the posted properties, its author, its address and its date', async () => {
      const items = await itemsAt(post.path);
      expect(items.map((item) => item.type)).toEqual([type ?? ['h-entry']]);
      const { properties } = items[0]!;
      expect(properties).toMatchObject(withBase(read) as Properties);
      expect(properties['url']).toEqual([`${site.base}${post.path}`]);
      expect(properties['published']).toEqual([post.createdAt]);
      expect(properties['author']).toEqual([
        {
          type: ['h-card'],
          value: 'Ann',
          properties: { name: ['Ann'], url: ['https://ann.example/'], photo: ['https://ann.example/me.jpg'] },
        },
      ]);
    });

    test('has no link to a page that does not exist on this site', async () => {
      const text = await (await site.get(post.path)).text();
      const main = /<article[\s\S]*<\/article>/.exec(text)?.[0] ?? '';
      const own = [...main.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, site.base));
      const lost = own.filter(({ origin, pathname }) => origin === site.base && / |%20/.test(pathname));
      expect(lost.map(({ href }) => href).filter((href) => !href.includes('/categories/'))).toEqual([]);
    });

    test('has no property that was not posted', async () => {
      const { properties } = (await itemsAt(post.path))[0]!;
      const given = [...Object.keys(post.properties), 'author', 'url', 'uid', 'published'];
      expect(Object.keys(properties).filter((name) => !given.includes(name))).toEqual([]);
    });

    test('reads the same in the feed of the front page', async () => {
      const [own] = await itemsAt(post.path);
      const feed = (await itemsAt('/')).find((item) => item.type?.includes('h-feed'));
      const entry = feed?.children?.find((item) =>
        item.properties['url']?.includes(`${site.base}${post.path}`),
      );
      expect(entry?.properties).toEqual(own?.properties);
    });
  },
);
