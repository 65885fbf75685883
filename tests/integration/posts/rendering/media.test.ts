import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { readPage } from '../../../../src-main/untrusted/pages/web-page.ts';
import type { MediaReader } from '../../../../src-main/posts/rendering/reader.ts';
import { memoryMedia, postOf, serveSite, type SiteServer } from '../../../support/site.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** Every element of a page, with its attributes. */
function elementsOf(text: string): { tag: string; attributes: Record<string, string> }[] {
  const walk = (node: Node): ReturnType<typeof elementsOf> => [
    ...('tagName' in node
      ? [
          {
            tag: node.tagName,
            attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
          },
        ]
      : []),
    ...('childNodes' in node ? node.childNodes.flatMap(walk) : []),
  ];
  return walk(parse(text));
}

/** Every address that a browser fetches by itself on reading a page. */
function loadedBy(text: string): string[] {
  return elementsOf(text).flatMap(({ tag, attributes }) => {
    const names = ['src', 'srcset', 'poster', 'data', 'background', 'ping', 'style'];
    const always = names.flatMap((name) => attributes[name] ?? []);
    const isFetched =
      tag === 'link' && /stylesheet|icon|preload|prefetch|preconnect/.test(attributes['rel'] ?? '');
    return [...always, ...(isFetched ? [attributes['href'] ?? ''] : [])];
  });
}

const copied = 'https://bo.example/p.jpg';
const everything = postOf(
  {
    name: ['Pictures'],
    photo: [
      { value: '/media/a.jpg', alt: 'A "door"' },
      copied,
      { value: 'https://bo.example/not-copied.jpg', alt: 'By Bo' },
      { value: '/media/lost.jpg', alt: 'Lost words' },
      '/media/lost2.jpg',
      { value: '/media/phone.heic', alt: 'From a phone' },
    ],
    video: ['/media/v.mp4'],
    audio: ['https://old.example/media/a.mp3'],
    featured: ['/media/front.webp'],
    content: [
      {
        html:
          '<p>Look: <img src="/media/in.png" alt="Inside"> <img src="https://spy.example/pixel.gif" alt="Spy"></p>' +
          '<video src="https://spy.example/v.mp4" poster="https://spy.example/p.jpg"></video>' +
          '<picture><source srcset="https://spy.example/s.jpg"><img src="/media/lost3.jpg" alt="Gone"></picture>',
      },
    ],
    'in-reply-to': [
      {
        type: ['h-cite'],
        properties: {
          url: ['https://bo.example/post'],
          photo: ['https://spy.example/cite.jpg'],
          content: [{ html: '<img src="https://spy.example/cite2.jpg" alt="Cited">' }],
          author: [
            {
              type: ['h-card'],
              properties: { name: ['Bo'], photo: ['https://spy.example/bo.jpg'] },
            },
          ],
        },
      },
    ],
  },
  { slug: 'everything' },
);
const recording = postOf({ audio: ['/media/talk.mp3'], content: ['A talk'] }, { slug: 'recording' });

let site: SiteServer;
beforeAll(async () => {
  const media = memoryMedia({ [copied]: '/media/copy.jpg' });
  site = await serveSite([everything, recording], { media });
});
afterAll(() => site.close());

const textAt = async (path: string) => (await site.get(path)).text();

describe('pictures and recordings', () => {
  test('nothing that a page loads is anybody else’s', async () => {
    for (const path of ['/', everything.path, recording.path]) {
      const loaded = loadedBy(await textAt(path));
      expect(loaded.length, path).toBeGreaterThan(0);
      for (const address of loaded) expect(new URL(address, site.base).origin, path).toBe(site.base);
    }
    const feed = JSON.parse(await textAt('/feed.json')) as { items: { content_html: string }[] };
    for (const { content_html } of feed.items)
      for (const address of loadedBy(content_html)) expect(new URL(address).origin).toBe(site.base);
  });

  test('of this server, and its copies, are shown at their size, and loaded when they are needed', async () => {
    const pictures = elementsOf(await textAt(everything.path)).filter(({ tag }) => tag === 'img');
    expect(pictures.map(({ attributes }) => attributes['src'])).toEqual(
      ['front.webp', 'a.jpg', 'copy.jpg', 'in.png'].map((name) => `${site.base}/media/${name}`),
    );
    for (const { attributes } of pictures) expect(attributes).toMatchObject({ width: '1200', height: '900' });
    // The visitor sees the first picture at once.
    expect(pictures.map(({ attributes }) => attributes['loading'])).toEqual([
      undefined,
      'lazy',
      'lazy',
      'lazy',
    ]);
  });

  test('MP-26 keep their words, for people and for programs', async () => {
    const text = await textAt(everything.path);
    const { properties } = readPage({ url: site.base, linkHeader: null, text }).items[0] ?? {
      properties: {},
    };
    expect(properties['photo']).toEqual([
      { value: `${site.base}/media/a.jpg`, alt: 'A "door"' },
      `${site.base}/media/copy.jpg`,
      'https://bo.example/not-copied.jpg',
      `${site.base}/media/phone.heic`,
    ]);
    expect(text).toContain('>By Bo</a>');
    expect(text).toContain('>From a phone (HEIC)</a>');
  });

  test('that are gone leave their words, and no broken picture', async () => {
    const text = await textAt(everything.path);
    expect(text).toContain('Lost words');
    expect(text).toContain('Gone');
    expect(text).not.toContain('/media/lost');
  });

  test('play with their type, from the site’s current address', async () => {
    const sources = elementsOf(await textAt(everything.path)).filter(({ tag }) => tag === 'source');
    expect(sources.map(({ attributes }) => attributes)).toEqual([
      { class: 'u-video', src: `${site.base}/media/v.mp4`, type: 'video/mp4' },
      { class: 'u-audio', src: `${site.base}/media/a.mp3`, type: 'audio/mpeg' },
    ]);
  });

  test('stand in the feeds as what belongs to the post', async () => {
    const url = `${site.base}/media/talk.mp3`;
    expect(await textAt('/feed.rss')).toContain(`<enclosure length="4321" type="audio/mpeg" url="${url}"/>`);
    const feed = JSON.parse(await textAt('/feed.json')) as { items: object[] };
    expect(feed.items[1]).toMatchObject({
      attachments: [{ url, mime_type: 'audio/mpeg', size_in_bytes: 4321 }],
    });
  });

  test('have a small version as the image of JSON Feed, and the original as the attachment', async () => {
    const file = { path: '/media/a.jpg', type: 'image/jpeg', bytes: 9_000_000, width: 4000, height: 3000 };
    const versions = [480, 960, 2000].map((width) => ({ path: `/media/a.${width}.webp`, width }));
    const server = await serveSite([postOf({ photo: ['/media/a.jpg'], content: ['Look'] })], {
      media: { shown: () => Promise.resolve({ ...file, versions, preview: '/media/a.1200.jpg' }) },
    });
    try {
      const feed = (await (await server.get('/feed.json')).json()) as { items: object[] };
      expect(feed.items[0]).toMatchObject({
        image: `${server.base}/media/a.960.webp`,
        attachments: [{ url: `${server.base}/media/a.jpg` }],
      });
    } finally {
      await server.close();
    }
  });

  test('describe a post to other programs, with the picture of this server', async () => {
    const metas = elementsOf(await textAt(everything.path)).filter(({ tag }) => tag === 'meta');
    const properties = metas.map(({ attributes }) => [
      attributes['property'] ?? attributes['name'],
      attributes['content'],
    ]);
    expect(properties).toContainEqual(['og:title', 'Pictures']);
    expect(properties).toContainEqual(['og:image', `${site.base}/media/front.webp`]);
    expect(properties).toContainEqual(['description', 'Look:']);
  });
});

describe('a copy that comes later', () => {
  test('changes the page and its tag', async () => {
    let copies: MediaReader = memoryMedia();
    const later = await serveSite([postOf({ photo: [copied], content: ['Look'] })], {
      media: { shown: (url) => copies.shown(url) },
    });
    try {
      const before = await later.get('/posts/2026/11/one');
      expect(await before.text()).toContain(`href="${copied}"`);
      copies = memoryMedia({ [copied]: '/media/copy.jpg' });
      const etag = before.headers.get('etag') ?? '';
      const after = await later.get('/posts/2026/11/one', { headers: { 'if-none-match': etag } });
      expect(after.status).toBe(200);
      expect(await after.text()).toContain(`src="${later.base}/media/copy.jpg"`);
    } finally {
      await later.close();
    }
  });
});
