import { mf2 } from 'microformats-parser';
import { afterEach, describe, expect, test } from 'vitest';
import type { Settings } from '../../../src-main/contract/settings.ts';
import type { Post } from '../../../src-main/contract/posts.ts';
import { themes } from '../../../src-main/site/themes.ts';
import { postOf, serveSite, type SiteServer } from '../../support/site.ts';

const opened: SiteServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((site) => site.close())));

async function serve(posts: readonly Post[], settings: Partial<Settings['site']> = {}): Promise<SiteServer> {
  const site = await serveSite(posts, { settings });
  opened.push(site);
  return site;
}

const textAt = async (site: SiteServer, path: string) => (await site.get(path)).text();
const note = postOf({ content: ['A & B "C" #tea'], category: ['tea'] });

describe('at the foot of a post, a reader finds', () => {
  test('a form for a reply on their own site, with the address of the post', async () => {
    const site = await serve([note]);
    const text = await textAt(site, note.path);
    expect(text).toContain('<form method="post" action="/webmention" class="fields">');
    expect(text).toContain(`<input type="hidden" name="target" value="${site.base}${note.path}">`);
    expect(text).not.toContain('mailto:');
  });

  test('the email address for replies, if the owner published one', async () => {
    const site = await serve([note], { replyEmail: 'ann+replies@ann.example' });
    expect(await textAt(site, note.path)).toContain(
      'href="mailto:ann%2Breplies@ann.example?subject=Re%3A%20A%20%26%20B%20%22C%22%20%23tea"',
    );
    expect(await textAt(site, '/')).not.toContain('mailto:');
  });
});

describe('the page about feeds', () => {
  test('has their addresses, and every page links to it', async () => {
    const site = await serve([note, postOf({ name: ['Tea'], content: ['Long.'] }, { slug: 'two' })]);
    const text = await textAt(site, '/subscribe');
    for (const path of ['/feed.atom', '/feed.rss', '/feed.json', '/kinds/article/feed.atom'])
      expect(text).toContain(`<code class="copied">${site.base}${path}</code>`);
    expect(text).not.toContain('/kinds/photo/');
    for (const path of ['/', note.path, '/categories/tea', '/archive'])
      expect(await textAt(site, path)).toContain('href="/subscribe"');
    expect((await site.get('/subscribe/')).headers.get('location')).toBe(`${site.base}/subscribe`);
  });

  test('gives way to a page of the owner', async () => {
    const site = await serve([note], { pages: [{ slug: 'subscribe', title: 'Letters', text: 'By post.' }] });
    expect(await textAt(site, '/subscribe')).toContain('<p>By post.</p>');
  });
});

test('the page of a category names its own feeds first', async () => {
  const text = await textAt(await serve([note]), '/categories/tea');
  const [first, second, third, fourth] = [...text.matchAll(/rel="alternate"[^>]*href="([^"]+)"/g)].map(
    ([, href]) => href,
  );
  expect([first, second, third, fourth]).toEqual([
    '/categories/tea/feed.atom',
    '/categories/tea/feed.rss',
    '/categories/tea/feed.json',
    '/feed.atom',
  ]);
});

describe('a search', () => {
  const found = async (q: string, posts: readonly Post[]) =>
    textAt(await serve(posts), `/search?q=${encodeURIComponent(q)}`);

  test('counts the posts, and marks the words in their text', async () => {
    const text = await found('KETTLE tea', [
      postOf({ content: [`${'Before. '.repeat(40)}The kettle is on for tea.`] }),
      postOf({ name: ['Tea <b>'], content: ['Kettle'] }, { slug: 'two' }),
    ]);
    expect(text).toContain('<h2 class="p-name">2 posts with “<bdi>KETTLE tea</bdi>”</h2>');
    expect(text).toContain('The <mark>kettle</mark> is on for <mark>tea</mark>.</p>');
    expect(text).toContain('>…Before.');
    expect(text).toContain('><mark>Tea</mark> &lt;b&gt;</a>');
  });

  test('shows the text of a post as text, whatever it contains and whatever is searched for', async () => {
    const evil = '<script>alert(1)</script> [a](b) $& \\d';
    for (const q of ['<script>', '[a]', '$&', '\\d', '(1)']) {
      const text = await found(q, [postOf({ content: [evil] })]);
      expect(text).toContain('1 post with');
      expect(text).toContain('<mark>');
      expect(text).not.toContain('<script>');
    }
  });
});

describe('a page that says what went wrong', () => {
  test('has the name and the theme of its owner, and folds what only developers understand', async () => {
    const site = await serve([note], { theme: 'garden' });
    const answer = await site.get('/?after=%00nonsense');
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).toContain('<title>That didn’t work – Ann</title>');
    expect(text).toContain('<bdi class="name">Ann</bdi>');
    expect(text).toContain(
      '<details><summary>Technical details</summary><p><code>400 invalid_request</code>',
    );
    expect(text).toContain(themes.garden.light.ground);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'");
  });
});

describe('the posts beside a post', () => {
  const listed = [1, 2, 3].map((number) => postOf({ content: [`Number ${number}`] }, { slug: `n${number}` }));
  const hidden = [
    postOf({ content: ['Secret'] }, { slug: 'private', visibility: 'private' }),
    postOf({ content: ['Secret'] }, { slug: 'unlisted', visibility: 'unlisted' }),
    postOf({ content: ['Secret'] }, { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' }),
  ];
  const linksOf = (text: string) =>
    [...text.matchAll(/rel="(prev|next)" href="[^"]*\/([^"/]+)"/g)].map(([, rel, slug]) => `${rel} ${slug}`);

  test('are linked by their titles, as far as everybody may read them', async () => {
    const [first, second, third] = listed;
    const site = await serve([first!, ...hidden, second!, third!]);
    const pages = await Promise.all(listed.map(({ path }) => textAt(site, path)));
    expect(pages.map(linksOf)).toEqual([['prev n2'], ['prev n3', 'next n1'], ['next n2']]);
    expect(pages[1]).toContain('<bdi>Number 1</bdi>');
    expect(pages.join()).not.toContain('Secret');
    expect(linksOf(await textAt(site, '/posts/2026/11/unlisted'))).toEqual([]);
  });

  test('have short addresses in the titles that come from their texts; their own titles and feeds stay', async () => {
    const address = 'https://fog.example/posts/2026/11/a-long-address-of-a-post';
    const site = await serve([
      postOf({ content: [`I read ${address} today`] }, { slug: 'note' }),
      postOf({ content: ['Between'] }, { slug: 'between' }),
      postOf({ name: [`About ${address}`], content: ['Fog.'] }, { slug: 'article' }),
    ]);
    const between = await textAt(site, '/posts/2026/11/between');
    expect(between).toContain('<bdi>I read fog.example/… today</bdi>');
    expect(between).toContain('<bdi>About https://fog.example/');
    expect(await textAt(site, '/posts/2026/11/nothing')).toContain('>I read fog.example/… today</a>');
    expect(await textAt(site, '/posts/2026/11/note')).toContain(
      '<title>I read fog.example/… today – Ann</title>',
    );
    expect(await textAt(site, '/feed.atom')).toMatch(/<title[^>]*>I read https:\/\/fog\.example/);
  });

  test('change the page without its date, so it has no Last-Modified header', async () => {
    const site = await serve(listed.slice(0, 2));
    const alone = await serve(listed.slice(0, 1));
    expect((await site.get(listed[0]!.path)).headers.get('last-modified')).toBe(null);
    expect((await alone.get(listed[0]!.path)).headers.get('last-modified')).not.toBe(null);
  });
});

test('the page of photos is a grid, in which each photo leads to its post', async () => {
  const photo = [
    { value: 'https://ann.example/media/1.webp', alt: 'A "red" door' },
    'https://ann.example/media/2.webp',
  ];
  const site = await serve([
    postOf({ photo, content: ['Two'] }),
    postOf({ photo: ['https://ann.example/media/3.webp'] }, { slug: 'b' }),
  ]);
  const text = await textAt(site, '/kinds/photo');
  const { items } = mf2(text, { baseUrl: site.base });
  const entries = items[0]?.children?.map(({ properties }) => properties) ?? [];
  expect(entries.map(({ url }) => url)).toEqual([[site.base + note.path], [`${site.base}/posts/2026/11/b`]]);
  expect(entries[0]?.['photo']).toEqual([{ value: `${site.base}/media/1.webp`, alt: 'A "red" door' }]);
  expect(entries[0]?.['summary']).toEqual(['Two']);
  expect(text).toContain(', 2\u00A0photos</p>');
  expect(text).toContain('aria-label="Photo"');
});

describe('a post to read', () => {
  test('begins with its date and its categories, without a label that people see', async () => {
    const text = await textAt(await serve([note]), note.path);
    expect(text).toMatch(/<time class="dt-published"[^]*rel="tag"[^]*class="e-content"/);
    expect(text).toContain('<h1 class="hidden">Note</h1>');
  });

  test('names its author to people only if the site has another name', async () => {
    const hidden = '<span class="p-author h-card" hidden';
    expect(await textAt(await serve([note]), note.path)).toContain(hidden);
    const titled = await textAt(await serve([note], { title: 'The porch' }), note.path);
    expect(titled).toContain('<span class="p-author h-card"');
    expect(titled).not.toContain(hidden);
  });

  test('with nothing but emoji shows them larger', async () => {
    const emoji = postOf({ content: ['\u{1F98A}\u{1F3FD} \u{1F3F3}\u{FE0F}\u{200D}\u{1F308}'] });
    expect(await textAt(await serve([emoji]), emoji.path)).toContain('class="e-content emoji"');
    const words = postOf({ content: ['12 \u{1F98A}'] });
    expect(await textAt(await serve([words]), words.path)).toContain('class="e-content"');
  });
});
