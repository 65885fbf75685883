import { afterEach, describe, expect, test } from 'vitest';
import { mf2 } from 'microformats-parser';
import type { MentionStatus } from '../../../src-main/contract/webmentions.ts';
import type { ResponseReader, SiteResponse } from '../../../src-main/posts/rendering/reader.ts';
import { mentionPages } from '../../../src-main/mentions/mention-pages.ts';
import { shownMentions } from '../../../src-main/mentions/shown-mentions.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { memoryResponses, responseOf } from '../../support/site-responses.ts';
import { ann, postOf, serveSite, type SiteServer } from '../../support/site.ts';

const post = postOf({ content: ['The light is on.'] });
const opened: SiteServer[] = [];

async function serve(responses: ResponseReader | readonly SiteResponse[]): Promise<SiteServer> {
  const reader = 'of' in responses ? responses : memoryResponses(responses);
  const site = await serveSite([post], { responses: reader, profile: { ...ann, photo: '' } });
  opened.push(site);
  return site;
}

afterEach(() => Promise.all(opened.splice(0).map((site) => site.close())));

async function pageOf(responses: ResponseReader | readonly SiteResponse[], query = ''): Promise<string> {
  const site = await serve(responses);
  const answer = await site.get(post.path + query);
  expect(answer.status).toBe(200);
  return answer.text();
}

type MicroformatRoot = ReturnType<typeof mf2>['items'][number];

/** The post as another site reads it. */
function entryIn(text: string): MicroformatRoot {
  const { items } = mf2(text, { baseUrl: 'https://ann.example/' });
  expect(items.map(({ type }) => type)).toEqual([['h-entry']]);
  return items[0]!;
}

/** The titles of the groups of responses, which count them. */
const titlesIn = (text: string) => [...text.matchAll(/<h3>([^<]*)<\/h3>/g)].map(([, title]) => title);

const nested = (entry: MicroformatRoot, property: string) =>
  (entry.properties[property] ?? []) as MicroformatRoot[];

describe('responses to a post', () => {
  test('are in its h-entry as microformats: author, address, date and content', async () => {
    const of = (type: SiteResponse['type'], over: Partial<SiteResponse> = {}) =>
      responseOf(1, { type, id: type, source: `https://bo.example/${type}`, content: undefined, ...over });
    const photo = 'https://bo.example/7.jpg';
    const author = { name: 'Bo', url: 'https://bo.example/', photo };
    const text = await pageOf([
      responseOf(0, { author }),
      of('like', { author }),
      of('repost'),
      of('bookmark'),
      of('rsvp', { rsvp: 'YES ' }),
      of('mention', { name: 'A walk' }),
    ]);
    const entry = entryIn(text);
    expect(entry.properties['content']).toEqual([
      { html: '<p>The light is on.</p>', value: 'The light is on.' },
    ]);
    expect(entry.properties['rsvp']).toBe(undefined);
    const [comment, answer] = nested(entry, 'comment').sort((a) => (a.properties['rsvp'] ? 1 : -1));
    expect(comment?.type).toEqual(['h-cite']);
    expect(comment?.properties).toMatchObject({
      url: ['https://bo.example/0'],
      published: ['2026-11-21T15:00:00+01:00'],
      content: [{ html: '<p>Answer <b>0</b></p>', value: 'Answer 0' }],
      author: [
        {
          type: ['h-card'],
          properties: {
            name: ['Bo'],
            url: ['https://bo.example/'],
            photo: ['https://ann.example/media/7.webp'],
          },
        },
      ],
    });
    expect(answer?.properties['rsvp']).toEqual(['yes']);
    for (const type of ['like', 'repost', 'bookmark', 'mention']) {
      const [cite, ...more] = nested(entry, type);
      expect(more).toEqual([]);
      expect(cite?.properties).toMatchObject({
        url: [`https://bo.example/${type}`],
        author: [{ properties: { name: ['Bo'], url: ['https://bo.example/'] } }],
      });
    }
    expect(titlesIn(text)).toEqual(['1 like', '1 repost', '1 bookmark', 'Going: 1', '1 reply, 1 mention']);
    expect(text).toContain('<p>A walk</p>');
  });

  test('a post of which nobody said anything has no such section', async () => {
    expect(await pageOf([])).not.toContain('id="responses"');
  });

  test('AU-3 an author without a name is called by the host of the page', async () => {
    const author = { name: ' ', url: '', photo: '' };
    const source = 'https://www.Quiet.example/1';
    const entry = entryIn(
      await pageOf([responseOf(0, { author, source }), responseOf(1, { author: undefined })]),
    );
    const names = nested(entry, 'comment').flatMap((one) => nested(one, 'author')[0]?.properties['name']);
    expect(names).toEqual(['quiet.example', 'bo.example']);
  });

  test('lists say how much that is, and lead to it', async () => {
    const site = await serve([responseOf(0), responseOf(1), responseOf(2, { type: 'like' })]);
    const text = await (await site.get('/')).text();
    expect(text).toContain(`<a href="${site.base}${post.path}#responses">2 replies, 1 like</a>`);
    expect(text).not.toContain('Answer');
    expect(await (await (await serve([])).get('/')).text()).not.toContain('#responses');
  });

  test('replies are in the order in which they came, whatever their sources say of the time', async () => {
    const future = { published: '2999-01-01T00:00:00Z' };
    const entry = entryIn(await pageOf([responseOf(2), responseOf(0, future), responseOf(1)]));
    const urls = nested(entry, 'comment').flatMap((one) => one.properties['url'] ?? []);
    expect(urls).toEqual([0, 1, 2].map((number) => `https://bo.example/${number}`));
  });

  test('a long answer is cut, with a link to the full text', async () => {
    const value = 'Many words in one answer. '.repeat(400);
    const text = await pageOf([responseOf(0, { content: { value, html: `<p>${value}</p>` } })]);
    expect(text).toContain('<a href="https://bo.example/0" rel="nofollow ugc">Read more at bo.example</a>');
    expect(text.split('Many words').length - 1).toBeLessThan(50);
  });

  test('NW02 a reply that is only a picture or a film shows it, or says that there is one', async () => {
    const only = (number: number, over: Partial<SiteResponse>) =>
      responseOf(number, { content: undefined, ...over });
    const text = await pageOf([
      only(0, { photo: ['https://bo.example/7.jpg'], photoAlt: 'A "red" door', name: 'A "red" door' }),
      only(1, { photo: ['https://bo.example/none.jpg', 'https://bo.example/8.jpg'], photoAlt: 'A lamp' }),
      only(2, { photo: ['https://bo.example/8.jpg'] }),
      only(3, { video: ['https://bo.example/v.mp4'] }),
      only(4, { type: 'mention', photo: ['https://bo.example/9.jpg'], name: 'A walk' }),
      responseOf(5, { photo: ['https://bo.example/6.jpg'] }),
    ]);
    expect(text).toContain('<img class="u-photo" src="/media/7.webp" alt="A &quot;red&quot; door"');
    expect(text).toContain(
      '<p>A photo: <bdi>A lamp</bdi>. <a href="https://bo.example/1" rel="nofollow ugc">See it at bo.example</a></p>',
    );
    expect(text).toContain('>1 more at bo.example</a>');
    expect(text).toContain(
      'aria-label="A photo at bo.example"><img class="u-photo" src="/media/8.webp" alt=""',
    );
    expect(text).toContain('<p>A video. <a href="https://bo.example/3"');
    expect(text).toContain('<p>A walk</p>');
    for (const other of ['9.webp', '6.webp', 'https://bo.example/v.mp4', 'none.jpg'])
      expect(text).not.toContain(other);
    const [reply] = nested(entryIn(text), 'comment');
    expect(reply?.properties['photo']).toEqual([
      { value: 'https://ann.example/media/7.webp', alt: 'A "red" door' },
    ]);
  });

  test('answers to an invitation are grouped, and text added to one is shown', async () => {
    const rsvp = (number: number, answer: string, value?: string) =>
      responseOf(number, {
        type: 'rsvp',
        rsvp: answer,
        content: value === undefined ? undefined : { value },
      });
    const text = await pageOf([
      rsvp(0, 'yes'),
      rsvp(1, 'Yes', 'With cake'),
      rsvp(2, 'no'),
      rsvp(3, 'if it rains'),
    ]);
    expect(titlesIn(text)).toEqual(['Going: 2', 'Not going: 1', 'Answered: 1', 'Comments']);
    expect(text).toContain('<p>With cake</p>');
    expect(nested(entryIn(text), 'comment')).toHaveLength(4);
  });
});

describe('a page with many responses', () => {
  const many = Array.from({ length: 450 }, (_, number) =>
    responseOf(number, number % 2 ? { type: 'like', content: undefined } : {}),
  );
  const shown = (text: string) =>
    [...text.matchAll(/<a class="u-url" href="https:\/\/bo\.example\/(\d+)"/g)].map(([, n]) => Number(n));

  test.each([
    ['', 250, 450],
    ['?responses=2', 50, 250],
    ['?responses=3', 0, 50],
    ['?responses=99', 0, 50],
    ['?responses=0', 250, 450],
    ['?responses=-1', 250, 450],
    ['?responses=x&responses=2', 250, 450],
  ])('with "%s" shows the responses from %i up to %i, and counts them all', async (query, from, to) => {
    const text = await pageOf(many, query);
    const expected = Array.from({ length: to - from }, (_, index) => from + index);
    expect(shown(text).sort((a, b) => a - b)).toEqual(expected);
    expect(titlesIn(text)).toEqual(['225 likes', '225 replies']);
    expect(text).toContain(' of 3</span>');
  });

  test('leads from each page to the next, and back', async () => {
    const site = await serve(many);
    const read = async (path: string) => (await site.get(path)).text();
    const link = (rel: string, text: string) =>
      new RegExp(`<nav[^]*rel="${rel}" href="${site.base}([^"#]*)#responses"`).exec(text)?.[1];
    const first = await read(post.path);
    expect(link('prev', first)).toBe(undefined);
    const second = link('next', first)!;
    expect(second).toBe(`${post.path}?responses=2`);
    const third = link('next', await read(second))!;
    expect(link('next', await read(third))).toBe(undefined);
    expect(link('prev', await read(third))).toBe(second);
    expect(link('prev', await read(second))).toBe(post.path);
  });
});

describe('markup of strangers', () => {
  test('WR-12 no script, style, picture or property of a stranger gets onto the page', async () => {
    const html =
      '<p onclick="alert(1)" class="u-like-of h-entry" style="color:red" id="x">one</p><script>alert(2)</script>' +
      '<img src="https://bo.example/spy.gif" onerror="alert(3)"><a href="javascript:alert(4)" class="u-url">two</a>' +
      '<a href="https://bo.example/there" target="_blank" rel="me">three</a><svg onload="alert(5)"></svg>' +
      '<iframe src="https://bo.example/"></iframe><form action="/auth"><input name="q"></form><style>*{}</style>' +
      '<a href="//bo.example/x">four</a><h1>five</h1>';
    const site = await serve([
      responseOf(0, {
        content: { value: 'one', html },
        author: { name: '<img src=x onerror=alert(6)>"', url: '', photo: '' },
      }),
    ]);
    const answer = await site.get(post.path);
    const text = await answer.text();
    const section = text.slice(text.indexOf('id="responses"'), text.indexOf('</section>'));
    const bad =
      /<(script|img|iframe|form|style|svg|h1)|alert\([1-5]|u-like-of|style=|_blank|rel="me"|spy|bo\.example\/x/;
    expect(section).not.toMatch(bad);
    expect(section).toContain('<a href="https://bo.example/there" rel="nofollow ugc noopener">three</a>');
    expect(section).toContain('&lt;img src=x onerror=alert(6)&gt;&quot;');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'");
    const entry = entryIn(text);
    expect(entry.properties['like-of']).toBe(undefined);
  });

  test.each([
    ['a script', 'javascript:alert(1)'],
    ['a script after a space', ' javascript:alert(1)'],
    ['a script in odd letters', 'JaVaScRiPt:alert(1)'],
    ['data', 'data:text/html,<p>'],
    ['another script', 'vbscript:x'],
    ['an address with a password', 'https://user:secret@bo.example/'],
    ['a path', '/posts/2026/11/one'],
    ['an address without a scheme', '//elsewhere.example/'],
    ['an endless address', `https://bo.example/${'a'.repeat(3000)}`],
  ])('WR-12 %s is no link and no picture, as author, address or source', async (_what, bad) => {
    const author = { name: 'Bo', url: bad, photo: bad };
    const text = await pageOf({
      of: () =>
        Promise.resolve([
          responseOf(0, { author, url: bad }),
          responseOf(1, { type: 'like', author }),
          responseOf(2, { source: bad }),
        ]),
      picture: (url) => Promise.resolve(url),
    });
    const section = text.slice(text.indexOf('id="responses"'), text.indexOf('</section>'));
    expect(section).not.toContain(bad.trim());
    expect(section).not.toContain('<img');
    expect(titlesIn(section)).toEqual(['1 like', '1 reply']);
    const links = [...section.matchAll(/(?:href|src|value)="([^"]*)"/g)].map(([, url]) => url);
    expect(new Set(links)).toEqual(new Set(['https://bo.example/0', 'https://bo.example/1']));
  });

  test('each link of theirs vouches for nothing', async () => {
    const text = await pageOf([
      responseOf(0, { content: { value: 'a', html: '<a href="https://bo.example/x">a</a>' } }),
      responseOf(1, { type: 'like' }),
    ]);
    const section = text.slice(text.indexOf('id="responses"'), text.indexOf('</section>'));
    const links = section.match(/<a [^>]*>/g) ?? [];
    expect(links).toHaveLength(4);
    for (const link of links) expect(link).toMatch(/rel="nofollow ugc/);
  });

  test('huge and deep markup costs no more than its words', async () => {
    const html = '<blockquote>'.repeat(200_000);
    const text = await pageOf([
      responseOf(0, { content: { value: 'short', html }, name: 'n'.repeat(1_000_000) }),
    ]);
    expect(text).toContain('<p>short</p>');
    expect(text.length).toBeLessThan(30_000);
  });
});

describe('moderation', () => {
  const all = [
    'approved',
    'held',
    'hidden',
    'deleted',
    'removed',
  ] as const satisfies readonly MentionStatus[];

  async function scene() {
    const store = memoryMentions(
      Date.now,
      mentionPages(() => site.base),
    );
    const site = await serve({
      of: (one) => shownMentions(store, one.path),
      picture: () => Promise.resolve(undefined),
    });
    const keep = (name: string, over: { private?: boolean; target?: string } = {}) =>
      store.keep({
        source: `https://bo.example/${name}`,
        target: site.base + post.path,
        facts: { type: 'reply', property: 'in-reply-to', content: { value: `says ${name}` } },
        status: 'approved',
        parsed: '2026-11-22T00:00:00.000Z',
        ...over,
      });
    return { store, site, keep };
  }

  test('the site shows only approved mentions', async () => {
    const { store, site, keep } = await scene();
    for (const status of all) {
      const { mention } = await keep(status);
      if (status !== 'approved') await store.setStatus(mention.id, status, 'owner');
    }
    await keep('private', { private: true });
    const https = (site.base + post.path).replace('http:', 'https:');
    await keep('by-https', { target: `${https}#part` });
    for (const path of [post.path, '/']) {
      const text = await (await site.get(path)).text();
      expect(text).toContain('2 replies');
    }
    const text = await (await site.get(post.path)).text();
    const said = [...text.matchAll(/says ([\w-]+)/g)].map(([, name]) => name);
    expect(said.sort()).toEqual(['approved', 'by-https']);
  });

  test('a page is renewed as soon as a response arrives, and again when the response is removed', async () => {
    const { store, site, keep } = await scene();
    const tag = async () => (await site.get(post.path)).headers.get('etag')!;
    const before = await tag();
    const { mention } = await keep('one');
    const after = await tag();
    expect(after).not.toBe(before);
    const again = await site.get(post.path, { headers: { 'if-none-match': after } });
    expect(again.status).toBe(304);
    expect((await site.get(post.path)).headers.get('last-modified')).toBe(null);
    await store.setStatus(mention.id, 'hidden', 'owner');
    expect(await tag()).toBe(before);
  });
});
