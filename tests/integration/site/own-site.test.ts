import { mf2 } from 'microformats-parser';
import sharp, { type Sharp } from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { reservedSlugs } from '../../../src-main/site/own-pages.ts';
import { publicRoutes } from '../../fuzz/routes.ts';
import { patience } from '../../support/patience.ts';
import { openSite, type Site } from '../../support/client-app.ts';
import { drawing } from '../../support/picture-samples.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { silence } from '../../support/site-sample-media.ts';
import { ann, postOf, serveSite } from '../../support/site.ts';

const written = {
  photos: [],
  categories: [],
  ...({ visibility: 'public', status: 'published' } as const),
};
const person = { accept: 'text/html' };

describe('the home page', () => {
  const links = [
    { label: 'Code', url: 'https://code.example/ann' },
    { label: 'Social', url: 'https://social.example/@ann' },
  ];

  async function home(settings: Partial<Settings['site']>, profile = ann) {
    const server = await serveSite([postOf({ content: ['Hello'] })], {
      settings,
      profile,
      photo: () => Promise.resolve({ name: '0123456789abcdef.webp', bytes: Buffer.from('') }),
    });
    try {
      const html = await (await server.get('/')).text();
      return { html, base: server.base, parsed: mf2(html, { baseUrl: `${server.base}/` }) };
    } finally {
      await server.close();
    }
  }

  /** The algorithm of microformats.org/wiki/representative-h-card-parsing. */
  function representative({ items, rels }: ReturnType<typeof mf2>, url: string) {
    const cards = items.filter(({ type }) => type?.includes('h-card'));
    const has = (name: string, expected: string) => (card: (typeof cards)[number]) =>
      card.properties[name]?.includes(expected) === true;
    const byUid = cards.find((card) => has('uid', url)(card) && has('url', url)(card));
    const byMe = cards.find((card) => (rels['me'] ?? []).some((me) => has('url', me)(card)));
    return byUid ?? byMe ?? (cards.length === 1 ? cards.find(has('url', url)) : undefined);
  }

  test('has the owner’s representative h-card: name, photo, tagline, about and links', async () => {
    const { parsed, base } = await home({ tagline: 'Keeps a porch.', about: 'I *carve* spoons.', links });
    const card = representative(parsed, `${base}/`);
    expect(card?.properties).toMatchObject({
      name: ['Ann'],
      uid: ['https://ann.example/'],
      url: ['https://ann.example/', ...links.map(({ url }) => url)],
      note: ['Keeps a porch.', 'I carve spoons.'],
    });
    expect(JSON.stringify(card?.properties.photo)).toContain(`${base}/photo/0123456789abcdef.webp`);
    expect(parsed.rels['me']).toEqual(['https://ann.example/', ...links.map(({ url }) => url)]);
  });

  test('is found by its own address if that is who the owner is', async () => {
    const { parsed } = await home({}, { ...ann, me: 'https://porch.example/' });
    expect(representative(parsed, 'https://porch.example/')?.properties.name).toEqual(['Ann']);
  });

  test('a site with a title still says who its owner is', async () => {
    const { html, parsed, base } = await home({ title: 'The porch' });
    expect(html).toContain('<title>The porch</title>');
    expect(representative(parsed, `${base}/`)?.properties.name).toEqual(['Ann']);
  });

  test('the owner’s text can’t become markup of the page', async () => {
    const evil = '"><script>alert(1)</script>';
    const { html } = await home({
      title: evil,
      tagline: evil,
      about: evil,
      links: [{ label: evil, url: 'https://x.example/' }],
    });
    expect(html).not.toContain('<script');
  });
});

describe('the owner’s pages', () => {
  const pages = [
    { slug: 'about', title: 'About', text: 'I am **Ann**.\n\n![A door](/media/2026/11/door.jpg)' },
    { slug: 'now', title: 'Now', text: '' },
  ];
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(
    async () => void (site = await serveSite([postOf({ content: ['Hello'] })], { settings: { pages } })),
  );
  afterAll(() => site.close());

  test('show Markdown with pictures, and are in the navigation of each page', async () => {
    const response = await site.get('/about');
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain('<p>I am <strong>Ann</strong>.</p>');
    expect(html).toContain(`src="${site.base}/media/2026/11/door.jpg" alt="A door"`);
    expect(html).toContain('<a href="/about" aria-current="page" dir="auto">About</a>');
    expect(html).toContain('<meta name="description" content="I am Ann.">');
    expect(html).toContain(`<link rel="canonical" href="${site.base}/about">`);
    for (const path of ['/', '/now', '/posts/2026/11/one', '/posts/2026/11/none']) {
      const other = await (await site.get(path, { headers: person })).text();
      for (const link of ['/', '/about', '/now', '/archive', '/search'])
        expect(other, `${path} to ${link}`).toMatch(new RegExp(`<nav aria-label="Site">.*<a href="${link}"`));
    }
  });

  test('are public pages, and in the sitemap', async () => {
    expect(await site.site.isPublicPage(new URL('/about', site.base))).toBe(true);
    expect(await site.site.isPublicPage(new URL('/abou', site.base))).toBe(false);
    expect(await (await site.get('/sitemap.xml')).text()).toContain(`<loc>${site.base}/about</loc>`);
  });

  test.each(['/abou', '/About', '/about%00', '/about//'])('%s is no page', async (path) => {
    const response = await site.get(path, { headers: person });
    expect([400, 404]).toContain(response.status);
  });

  test('their addresses are none that the server uses', () => {
    const first = publicRoutes.map(({ path }) => path.split('/')[1] ?? '');
    const usable = first.filter((part) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(part));
    expect([...new Set(usable)].filter((part) => !reservedSlugs.includes(part))).toEqual([]);
  });
});

describe('visitors who are lost', () => {
  let site: Awaited<ReturnType<typeof serveSite>>;
  const posts = Array.from({ length: 8 }, (_, number) =>
    postOf({ name: [`Post ${number}`], content: ['x'.repeat(100)] }, { slug: `p${number}` }),
  );
  beforeAll(async () => {
    const hidden = postOf(
      { content: ['Secret words'] },
      { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' },
    );
    const draft = postOf({ content: ['Secret words'] }, { slug: 'draft', status: 'draft' });
    site = await serveSite([hidden, draft, ...posts]);
  });
  afterAll(() => site.close());

  test.each([
    ['/no-such-page', 404, 'Page not found'],
    ['/no/such/page', 404, 'Page not found'],
    ['/posts/2026/11/none', 404, 'Page not found'],
    ['/categories/none', 404, 'Page not found'],
    ['/posts/2026/11/gone', 410, 'This post was deleted'],
  ])('%s answers %i with a search, the archive and recent posts', async (path, status, title) => {
    const response = await site.get(path, { headers: person });
    const html = await response.text();
    expect(response.status).toBe(status);
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).toContain('<form class="search" role="search" action="/search">');
    expect(html).toContain('<a href="/archive">');
    expect(html.match(/>Post \d</g)).toEqual([0, 1, 2, 3, 4].map((number) => `>Post ${number}<`));
    expect(html).not.toContain('Secret');
  });

  test.each(['/no-such-page', '/no/such/page'])('a program that asks for %s gets JSON', async (path) => {
    const response = await site.get(path, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'not_found' });
  });
});

test('a site without posts tells visitors what will appear, and has no hints for its owner', async () => {
  const site = await serveSite([]);
  const html = await (await site.get('/')).text();
  await site.close();
  expect(html).toContain('<bdi>Ann</bdi> hasn’t posted anything yet.');
  expect(html).not.toMatch(/Is this your|Open Porchlight/);
});

test('share previews name the page, the site, a description and a picture', async () => {
  const post = postOf({
    name: ['On porches'],
    summary: ['Why?'],
    content: ['x'.repeat(100)],
    photo: ['/media/a.jpg'],
  });
  const site = await serveSite([post], { settings: { title: 'The porch', tagline: 'Neither in nor out.' } });
  const tags = async (path: string) => {
    const html = await (await site.get(path)).text();
    return Object.fromEntries(
      [...html.matchAll(/<meta (?:property|name)="(og:[a-z_]+|description)" content="([^"]*)">/g)].map(
        ([, name = '', content = '']): [string, string] => [name, content],
      ),
    );
  };
  expect(await tags('/')).toEqual({
    description: 'Neither in nor out.',
    'og:title': 'The porch',
    'og:type': 'profile',
    'og:site_name': 'The porch',
    'og:url': `${site.base}/`,
    'og:description': 'Neither in nor out.',
    'og:image': 'https://ann.example/me.jpg',
  });
  expect(await tags(post.path)).toEqual({
    description: 'Why?',
    'og:title': 'On porches',
    'og:type': 'article',
    'og:site_name': 'The porch',
    'og:description': 'Why?',
    'og:url': site.base + post.path,
    'og:image': `${site.base}/media/a.jpg`,
  });
  await site.close();
});

test('photos link to their full size, and several are a gallery', async () => {
  const photos = ['/media/a.jpg', { value: '/media/b.jpg', alt: 'A door' }];
  const site = await serveSite([postOf({ photo: photos })]);
  const html = await (await site.get('/posts/2026/11/one')).text();
  await site.close();
  expect(html).toContain('<div class="media many">');
  expect(html).toContain(
    `<a href="${site.base}/media/a.jpg" aria-label="Picture in full size"><img class="u-photo"`,
  );
  expect(html).toContain(
    `<a href="${site.base}/media/b.jpg"><img class="u-photo" src="${site.base}/media/b.jpg" alt="A door"`,
  );
});

test('times are those of the owner’s clock', async () => {
  const site = await serveSite([postOf({ content: ['x'], published: ['2026-11-21T23:30:00Z'] })], {
    settings: { timeZone: 'Asia/Tokyo' },
  });
  expect(await (await site.get('/')).text()).toContain(
    ' title="22 November 2026, 08:30">22 November 2026</time>',
  );
  await site.close();
});

describe('with a real server', () => {
  let porchlight: Porchlight;
  let elsewhere: Site;
  beforeEach(async () => {
    porchlight = await startPorchlight();
    elsewhere = await openSite();
  });
  afterEach(async () => {
    await porchlight.remove();
    await elsewhere.close();
  });
  const get = (path: string) => fetch(new URL(path, porchlight.base), { headers: person });
  const iconAt = async (path: string) => {
    const response = await get(path);
    expect(response.headers.get('content-type')).toBe('image/png');
    return sharp(Buffer.from(await response.arrayBuffer()));
  };
  const colourOf = async (picture: Sharp) =>
    (await picture.resize(1, 1).removeAlpha().raw().toBuffer()).toJSON().data;
  const photo = () =>
    sharp({ create: { width: 600, height: 300, channels: 3, background: '#ff0000' } })
      .png()
      .toBuffer();

  test.each([
    ['/favicon.ico', 48],
    ['/apple-touch-icon.png', 180],
  ])('%s is a lamp, and then the owner’s photo as a square', async (path, edge) => {
    const lamp = await iconAt(path);
    expect(await lamp.metadata()).toMatchObject({ width: edge, height: edge, format: 'png' });
    const before = /href="(\/favicon.ico[^"]*)"/.exec(await (await get('/')).text())?.[1];
    await porchlight.call('profile.setPhoto', { data: (await photo()).toString('base64') });
    const icon = await iconAt(path);
    expect(await icon.metadata()).toMatchObject({ width: edge, height: edge });
    const [red = 0, green = 0] = await colourOf(icon);
    expect(red).toBeGreaterThan(240);
    expect(green).toBeLessThan(15);
    const after = /href="(\/favicon.ico[^"]*)"/.exec(await (await get('/')).text())?.[1];
    expect(after).not.toBe(before);
  });

  test('a recording that a post names by its address gets a player for our copy; a web page stays a link', async () => {
    elsewhere.pages.set('/rain.wav', (_request, response) =>
      response.writeHead(200, { 'content-type': 'audio/wav' }).end(silence()),
    );
    elsewhere.pages.set('/page.mp4', (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>No film'),
    );
    const { token } = await porchlight.call('apps.issueToken', { label: 'An app', scopes: ['create'] });
    const properties = { audio: [`${elsewhere.origin}/rain.wav`], video: [`${elsewhere.origin}/page.mp4`] };
    const created = await fetch(`${porchlight.base}/micropub`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: ['h-entry'], properties }),
    });
    const path = new URL(created.headers.get('location') ?? '').pathname;
    const html = async () => (await get(path)).text();
    await expect
      .poll(html, patience)
      .toMatch(
        /<audio controls preload="metadata"><source class="u-audio" src="[^"]*\/media\/[^"]*-rain\.wav"/,
      );
    expect(await html()).toContain(`<a class="u-video" href="${elsewhere.origin}/page.mp4"`);
    expect(await html()).not.toContain('<video');
  });

  test('the site’s own photo takes the place of the one in the profile, also from elsewhere', async () => {
    await porchlight.call('profile.setPhoto', { data: (await photo()).toString('base64') });
    const portrait = async () =>
      /class="u-photo portrait" src="[^"]*(\/photo\/[^"]*)"/.exec(await (await get('/')).text())?.[1];
    const first = await portrait();
    const bytes = await drawing().png().toBuffer();
    elsewhere.pages.set('/me.png', (_request, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
    );
    await porchlight.call('settings.update', { site: { photo: `${elsewhere.origin}/me.png` } });
    await expect.poll(portrait, patience).not.toBe(first);
    const second = (await portrait()) ?? '';
    expect((await get(second)).headers.get('content-type')).toBe('image/webp');
    // Apps may still use the photo in the profile.
    expect((await get(first ?? '')).status).toBe(200);
    await porchlight.call('settings.update', { site: { photo: '' } });
    expect(await portrait()).toBe(first);
    expect((await fetch(new URL(second, porchlight.base), { redirect: 'manual' })).status).toBe(302);
  });

  test.each<[string, Partial<Settings['site']>, string]>([
    [
      'CSS that imports',
      { css: 'a {}\n@import "x";' },
      'CSS, line 2: The site can’t import other style sheets. Paste their rules instead.',
    ],
    [
      'a time zone',
      { timeZone: 'Mars/Olympus' },
      '“Mars/Olympus” isn’t a time zone. Use a name such as Europe/Paris.',
    ],
    [
      'a link that runs a script',
      { links: [{ label: 'Me', url: 'javascript:alert(1)' }] },
      'The link “Me” needs a web address that starts with https://.',
    ],
    ['a photo that is no address', { photo: 'me.png' }, 'The photo’s address isn’t a web address.'],
    [
      'an email address that is none',
      { replyEmail: 'ann at example' },
      '“ann at example” isn’t an email address.',
    ],
    [
      'a page at an address in use',
      { pages: [{ slug: 'posts', title: 'Posts', text: '' }] },
      'The page “Posts” can’t have the address /posts, because Porchlight uses it. Choose another address.',
    ],
    [
      'two pages at one address',
      { pages: ['One', 'Two'].map((title) => ({ slug: 'one', title, text: '' })) },
      'Two pages have the address /one. Give each page its own address.',
    ],
  ])('%s is refused, and nothing changes', async (_what, site, message) => {
    const before = await porchlight.call('settings.get', {});
    await expect(porchlight.call('settings.update', { site: { title: 'New', ...site } })).rejects.toThrow(
      message,
    );
    expect(await porchlight.call('settings.get', {})).toEqual(before);
    await expect(porchlight.call('site.preview', { site, page: 'home' })).rejects.toThrow(message);
  });

  test('a preview shows unsaved settings and changes nothing', async () => {
    await porchlight.call('settings.update', {
      profile: { name: 'Ann' },
      site: { title: 'Saved', accent: '#112233' },
    });
    await porchlight.call('profile.setPhoto', { data: (await photo()).toString('base64') });
    const site = { title: 'Unsaved', accent: '#abcdef', about: '*Hello*' };
    const preview = await porchlight.call('site.preview', { site, page: 'home' });
    expect(preview.html).toContain('>Unsaved</a>');
    expect(preview.html).toContain('<em>Hello</em>');
    expect(preview.html).toContain('class="u-photo portrait" src="data:image/webp;base64,');
    expect(preview.html).toContain('hasn’t posted anything yet');
    expect(preview.css).toContain('--amber: #abcdef');
    const own = { title: 'Uses <b>', text: 'A *lamp*.' };
    const unsaved = await porchlight.call('site.preview', { site: {}, page: own });
    expect(unsaved.html).toContain('<h1 dir="auto">Uses &lt;b&gt;</h1>');
    expect(unsaved.html).toContain('<em>lamp</em>');
    const example = await porchlight.call('site.preview', { site: {}, page: 'post' });
    expect(example.html).toContain('You have no posts yet, so this example');
    await porchlight.call('posts.create', { ...written, text: 'My first post' });
    expect((await porchlight.call('site.preview', { site: {}, page: 'post' })).html).toContain(
      'My first post',
    );
    const html = await (await get('/')).text();
    expect(html).toContain('<title>Saved</title>');
    expect(html).toContain('--amber: #112233');
  });
});
