import { describe, expect, test } from 'vitest';
import type { Mention, NewMention } from '../../../../src-main/mentions/mention.ts';
import { exportJf2 } from '../../../../src-main/mentions/reading-api/records.ts';
import { managementToken, openImport, serveReading } from '../../../support/import-scene.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';

type Json = Record<string, unknown>;
const page = 'https://owner.example/post';
const aggregatorToken = 'token-at-the-aggregator';

function mention(number: number, more: Partial<NewMention> = {}): NewMention {
  const moment = new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString();
  return {
    source: `https://friend.example/${number}`,
    target: page,
    facts: { type: 'like', property: 'like-of' },
    status: 'approved',
    received: moment,
    parsed: moment,
    ...more,
  };
}

/** A server with these mentions; asks it for JSON. */
async function open(...mentions: NewMention[]) {
  const store = memoryMentions();
  const kept: Mention[] = [];
  for (const each of mentions) kept.push((await store.keep(each)).mention);
  const base = await serveReading(store);
  const get = (path: string, headers: Record<string, string> = {}) => fetch(base + path, { headers });
  const list = async (query: string, format: 'jf2' | 'json' = 'jf2') => {
    const answer = (await (await get(`/api/mentions.${format}?${query}`)).json()) as Json;
    return answer[format === 'jf2' ? 'children' : 'links'] as Json[];
  };
  const sources = async (query: string) =>
    (await list(query)).map((one) => Number(String(one['wm-source']).replace(/.*\//, '')));
  return { base, store, kept, get, list, sources };
}

const asTarget = (target = page) => `target=${encodeURIComponent(target)}`;
const asOwner = `token=${managementToken}`;

describe('the endpoints', () => {
  test('WI-1 links is a synonym of mentions, and no extension is json', async () => {
    const { get } = await open(mention(1));
    const texts = await Promise.all(
      ['/api/mentions', '/api/mentions.json', '/api/links', '/api/links.json'].map(async (path) =>
        (await get(`${path}?${asTarget()}`)).text(),
      ),
    );
    expect(new Set(texts).size).toBe(1);
    expect(JSON.parse(texts[0]!)).toHaveProperty('links');
    const feed: unknown = await (await get(`/api/links.jf2?${asTarget()}`)).json();
    expect(feed).toMatchObject({ type: 'feed', name: 'Webmentions', children: [{ type: 'entry' }] });
  });

  test.each(['', '.json'])('WI-2 count%s tells how many there are, by type', async (extension) => {
    const { get } = await open(
      mention(1),
      mention(2),
      mention(3, { facts: { type: 'rsvp', property: 'rsvp', rsvp: 'yes' } }),
      mention(4, { facts: { type: 'mention', property: 'mention-of' } }),
      mention(5, { status: 'held' }),
      mention(6, { target: 'https://owner.example/other' }),
    );
    const count = async (query: string) =>
      (await get(`/api/count${extension}?${query}`)).json() as Promise<unknown>;
    expect(await count(asTarget())).toEqual({ count: 4, type: { like: 2, mention: 1, 'rsvp-yes': 1 } });
    expect(await count(`target[]=${page}&target[]=https://owner.example/other`)).toMatchObject({ count: 5 });
    expect(await count('target=https://owner.example/none')).toEqual({ count: 0, type: {} });
    const missing = await get(`/api/count${extension}`);
    expect(missing.status).toBe(400);
    expect(await missing.json()).toEqual({
      error: 'invalid_input',
      error_description: 'A target URI is required',
    });
  });

  test('WI-36 a count is that of one target, not of its site', async () => {
    const { get } = await open(
      mention(1),
      mention(2, { target: `${page}/` }),
      mention(3, { target: 'https://owner.example/' }),
    );
    const count = async (query: string) => (await get(`/api/count?${query}`)).json() as Promise<unknown>;
    expect(await count(asTarget())).toEqual({ count: 1, type: { like: 1 } });
    expect(await count(asTarget('https://owner.example/'))).toMatchObject({ count: 1 });
    expect(await count(`${asTarget()}&domain=owner.example`)).toMatchObject({ count: 1 });
    expect((await get('/api/count?domain=owner.example')).status).toBe(400);
  });

  test('WI-3 the headers are those of webmention.io', async () => {
    const { get } = await open(mention(1));
    for (const path of ['/api/mentions.jf2', '/api/mentions', '/api/count']) {
      const { headers } = await get(`${path}?${asTarget()}`, { origin: 'https://blog.example' });
      expect(headers.get('content-type')).toBe('application/json;charset=UTF-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    const atom = await get(`/api/mentions.atom?${asTarget()}`);
    expect(atom.headers.get('content-type')).toBe('application/atom+xml;charset=UTF-8');
  });

  test('WI-4 a script gets its function called if the function’s name is valid', async () => {
    const { get } = await open(
      mention(1, { facts: { type: 'reply', property: 'in-reply-to', content: { value: 'a\u2028b' } } }),
    );
    const answer = await get(`/api/mentions.jf2?${asTarget()}&jsonp=window.show_1`);
    expect(answer.headers.get('content-type')).toBe('text/javascript;charset=UTF-8');
    const text = await answer.text();
    expect(text).toMatch(/^window\.show_1\(\{.*\}\)$/);
    expect(text).toContain('a\\u2028b');
    for (const name of ['alert(1)//', 'a b', '<script>', 'a;b', '1a', 'a..b', 'é']) {
      const refused = await get(`/api/count?${asTarget()}&jsonp=${encodeURIComponent(name)}`);
      expect(refused.status).toBe(400);
      expect(refused.headers.get('content-type')).toBe('application/json;charset=UTF-8');
    }
  });

  test('WI-5 a browser that asks for HTML still gets JSON', async () => {
    const { get } = await open(mention(1));
    const answer = await get(`/api/mentions?${asTarget()}`, { accept: 'text/html' });
    expect(await answer.json()).toHaveProperty('links');
  });

  test('WI-6 without target and token: 400; with a wrong token: 401', async () => {
    const { get } = await open(mention(1));
    for (const format of ['', '.json', '.jf2', '.atom', '.html']) {
      const neither = await get(`/api/mentions${format}`);
      expect(neither.status).toBe(400);
      expect(await neither.json()).toEqual({
        error: 'invalid_input',
        error_description: 'Either a token or a target URL is required',
      });
      const wrong = await get(`/api/mentions${format}?token=wrong`);
      expect(wrong.status).toBe(401);
      expect(await wrong.json()).toEqual({
        error: 'forbidden',
        error_description: 'Access token was not valid',
      });
    }
  });
});

describe('who reads what', () => {
  const all = [
    mention(1),
    mention(2, { private: true }),
    mention(3, { status: 'held' }),
    mention(4, { status: 'hidden' }),
    mention(5, { status: 'removed' }),
    mention(6, { status: 'deleted' }),
  ];

  test('WR-14 anybody reads mentions that are approved and not private, also in pages, feeds and counts', async () => {
    const { sources, get } = await open(...all);
    expect(await sources(asTarget())).toEqual([1]);
    expect(await sources(`${asTarget()}&${asOwner}`)).toEqual([1]);
    for (const format of ['atom', 'html']) {
      const text = await (await get(`/api/mentions.${format}?${asTarget()}`)).text();
      expect(text).toContain('https://friend.example/1');
      for (const hidden of [2, 3, 4, 5, 6]) expect(text).not.toContain(`https://friend.example/${hidden}`);
    }
    expect(await (await get(`/api/count?${asTarget()}`)).json()).toMatchObject({ count: 1 });
  });

  // A site generator reads with the token and publishes what it gets.
  test('WR-14 the token also reads private mentions, marked as private, and no hidden ones', async () => {
    const { sources, list, get } = await open(...all);
    expect(await sources(asOwner)).toEqual([2, 1]);
    expect((await list(asOwner)).map((one) => one['wm-private'])).toEqual([true, false]);
    expect(await sources(`access_token=${managementToken}`)).toEqual([2, 1]);
    const answer = await get('/api/mentions.jf2', { authorization: `Bearer ${managementToken}` });
    expect(((await answer.json()) as { children: unknown[] }).children).toHaveLength(2);
  });
});

describe('the parameters (8.2)', () => {
  test('WI-46 targets are taken in every spelling', async () => {
    const other = 'https://owner.example/other?a=1&b=2';
    const { sources } = await open(mention(1), mention(2, { target: other }));
    const [one, two] = [encodeURIComponent(page), encodeURIComponent(other)];
    for (const query of [
      `target[]=${one}&target[]=${two}`,
      `target%5B%5D=${one}&target%5B%5D=${two}`,
      `target=${one}&target=${two}`,
      `target[0]=${one}&target[1]=${two}`,
      `target=${one}&target[]=${two}&&target=`,
      `target[]=${one}&target[]=${one}&target[]=${two}`,
    ]) {
      expect(await sources(query)).toEqual([2, 1]);
    }
  });

  test('case does not matter; a target without a scheme is both; a slash at the end matters, a fragment only if asked for', async () => {
    const { sources } = await open(
      mention(1, { target: 'https://owner.example/Post' }),
      mention(2, { target: 'http://owner.example/post' }),
      mention(3, { target: 'https://owner.example/post/' }),
      mention(4, { target: 'https://owner.example/post#part' }),
    );
    expect(await sources('target=https://OWNER.example/POST')).toEqual([4, 1]);
    expect(await sources('target=//owner.example/post')).toEqual([4, 2, 1]);
    expect(await sources('target=https://owner.example/post/')).toEqual([3]);
    expect(await sources(asTarget('https://owner.example/post#part'))).toEqual([4]);
  });

  test('per-page and perPage, 20 by default and without a most; page from 0', async () => {
    const { sources } = await open(...Array.from({ length: 50 }, (_, index) => mention(index)));
    const newest = Array.from({ length: 50 }, (_, index) => 49 - index);
    for (const query of [asTarget(), asOwner]) {
      expect(await sources(query)).toEqual(newest.slice(0, 20));
      expect(await sources(`${query}&per-page=7&page=2`)).toEqual(newest.slice(14, 21));
      expect(await sources(`${query}&perPage=9999`)).toEqual(newest);
      expect(await sources(`${query}&per-page=20&page=3`)).toEqual([]);
      expect(await sources(`${query}&per-page=x&page=-1`)).toEqual(newest.slice(0, 20));
    }
  });

  test('WI-43 jekyll asks for one post under all of its addresses, and gets what is new, newest first', async () => {
    const old = 'http://owner.example/2019/post.html';
    const { list, kept } = await open(
      mention(1, { facts: { type: 'like', property: 'like-of', published: '2026-01-03T00:00:00Z' } }),
      mention(2, {
        target: old,
        facts: { type: 'reply', property: 'in-reply-to', published: '2026-01-01T00:00:00Z' },
      }),
      mention(3, { facts: { type: 'repost', property: 'repost-of', published: '2026-01-02T00:00:00Z' } }),
    );
    const asked = (since: number) =>
      list(`target[]=${page}&target[]=${old}&since_id=${since}&sort-by=published&perPage=9999`, 'json');
    expect((await asked(0)).map(({ id }) => id)).toEqual([kept[0]!.wmId, kept[2]!.wmId, kept[1]!.wmId]);
    expect((await asked(kept[1]!.wmId)).map(({ id }) => id)).toEqual([kept[2]!.wmId]);
  });

  test('WI-44 a query with && in it is read like any other, and 999 are given at once', async () => {
    const { sources } = await open(...Array.from({ length: 1050 }, (_, index) => mention(index)));
    const newest = Array.from({ length: 1050 }, (_, index) => 1049 - index);
    const asked = `domain=owner.example&${asOwner}`;
    expect(await sources(`${asked}&per-page=999`)).toEqual(newest.slice(0, 999));
    expect(await sources(`${asked}&per-page=100&&since=2026-01-01T00:17:00Z`)).toEqual(newest.slice(0, 29));
  });

  test('sort-by and sort-dir order, whatever is asked for', async () => {
    const like = { type: 'like', property: 'like-of' } as const;
    const rsvp = { type: 'rsvp', property: 'rsvp' } as const;
    const { sources } = await open(
      mention(1, {
        parsed: '2026-05-01T00:00:00.000Z',
        facts: { ...like, published: '2020-01-01T10:00:00+02:00' },
      }),
      mention(2, {
        parsed: '2026-03-01T00:00:00.000Z',
        facts: { ...like, published: '2020-01-01T09:00:00Z' },
      }),
      mention(3, { parsed: '2026-04-01T00:00:00.000Z', facts: { ...rsvp, rsvp: 'yes' } }),
      mention(4, { parsed: '2026-06-01T00:00:00.000Z', facts: { ...rsvp, rsvp: 'maybe' } }),
    );
    for (const query of [asTarget(), asOwner]) {
      expect(await sources(`${query}&sort-by=created`)).toEqual([4, 3, 2, 1]);
      expect(await sources(`${query}&sort-by=created&sort-dir=up`)).toEqual([1, 2, 3, 4]);
      expect(await sources(`${query}&sort-by=updated`)).toEqual([4, 1, 3, 2]);
      expect(await sources(`${query}&sort-by=published`)).toEqual([2, 1, 4, 3]);
      expect(await sources(`${query}&sort-by=published&sort-dir=asc`)).toEqual([3, 4, 1, 2]);
      expect(await sources(`${query}&sort-by=rsvp`)).toEqual([3, 4, 2, 1]);
      expect(await sources(`${query}&sort-by=nothing`)).toEqual([4, 3, 2, 1]);
      expect(await sources(`${query}&sort-by=updated&per-page=2&page=1`)).toEqual([3, 2]);
    }
  });

  test('since means later than, in every form that clients write it', async () => {
    const { sources, get } = await open(mention(1), mention(2), mention(3));
    for (const since of [
      '2026-01-01T00:00:02Z',
      '2026-01-01T00:00:02.000Z',
      '2025-12-31T17:00:02-0700',
      '2025-12-31T17:00:02-07:00',
      '2026-01-01T02:00:02+02:00', // the + arrives as a space
      '2026-01-01T02:00:02%2B0200',
      '2026-01-01T00:00:02',
    ]) {
      expect(await sources(`${asOwner}&since=${since}`)).toEqual([3]);
    }
    expect(await sources(`${asOwner}&since=2025-12-31`)).toEqual([3, 2, 1]);
    expect(await sources(`${asOwner}&since=`)).toEqual([3, 2, 1]);
    expect((await get(`/api/mentions?${asOwner}&since=soon`)).status).toBe(400);
  });

  test('since_id means above that number', async () => {
    const { sources, kept } = await open(mention(1), mention(2), mention(3));
    expect(await sources(`${asTarget()}&since_id=${kept[1]!.wmId}`)).toEqual([3]);
  });

  test('domain picks a site; an unknown one is an empty list', async () => {
    const { sources } = await open(
      mention(1),
      mention(2, { target: 'https://blog.example/a' }),
      mention(3, { target: 'http://blog.example:8080/a' }),
    );
    expect(await sources(`${asOwner}&domain=Blog.example`)).toEqual([3, 2]);
    expect(await sources(`${asOwner}&domain=unknown.example`)).toEqual([]);
    expect(await sources(`${asTarget()}&domain=unknown.example`)).toEqual([1]);
  });

  test('WI-46 wm-property picks types, one or several, in every spelling', async () => {
    const { sources } = await open(
      mention(1),
      mention(2, { facts: { type: 'reply', property: 'in-reply-to' } }),
      mention(3, { facts: { type: 'rsvp', property: 'rsvp', rsvp: 'interested' } }),
      mention(4, { facts: { type: 'mention', property: 'mention-of' } }),
    );
    expect(await sources(`${asTarget()}&wm-property=in-reply-to`)).toEqual([2]);
    for (const query of [
      'wm-property[]=in-reply-to&wm-property[]=rsvp',
      'wm-property=in-reply-to&wm-property=rsvp',
      'wm-property[0]=in-reply-to&wm-property[1]=rsvp',
      'wm-properties[]=in-reply-to&wm-properties[]=rsvp',
    ]) {
      expect(await sources(`${asTarget()}&${query}`)).toEqual([3, 2]);
    }
    expect(await sources(`${asTarget()}&wm-property=listen-of`)).toEqual([]);
  });
});

describe('the records', () => {
  const reply = mention(1, {
    received: '2026-02-03T04:05:06.000Z',
    facts: {
      type: 'reply',
      property: 'in-reply-to',
      published: '2026-02-03T05:00:00.123Z',
      url: 'https://friend.example/canonical',
      name: 'A title',
      author: { name: 'Ada', url: 'https://friend.example/', photo: '' },
      content: { html: '<p>Well</p>', value: 'Well' },
      syndication: ['https://silo.example/1'],
    },
  });

  test('8.3 our own mention as jf2', async () => {
    const { list, kept } = await open(reply);
    expect(await list(asTarget())).toEqual([
      {
        type: 'entry',
        author: { type: 'card', name: 'Ada', photo: '', url: 'https://friend.example/' },
        url: 'https://friend.example/canonical',
        published: '2026-02-03T05:00:00+00:00',
        name: 'A title',
        syndication: ['https://silo.example/1'],
        content: { html: '<p>Well</p>', text: 'Well' },
        'wm-received': '2026-02-03T04:05:06Z',
        'wm-id': kept[0]!.wmId,
        'wm-source': 'https://friend.example/1',
        'wm-target': page,
        'wm-protocol': 'webmention',
        'in-reply-to': page,
        'wm-property': 'in-reply-to',
        'wm-private': false,
      },
    ]);
  });

  test('8.4 our own mention as json', async () => {
    const { list, kept } = await open(reply, mention(2));
    const [record, like] = await list(asTarget(), 'json');
    expect(record).toEqual({
      source: 'https://friend.example/1',
      verified: true,
      verified_date: '2026-01-01T00:00:01+00:00',
      id: kept[0]!.wmId,
      private: false,
      data: {
        author: { name: 'Ada', url: 'https://friend.example/', photo: '' },
        url: 'https://friend.example/canonical',
        name: 'A title',
        content: '<p>Well</p>',
        published: '2026-02-03T05:00:00+00:00',
        published_ts: Date.UTC(2026, 1, 3, 5) / 1000,
      },
      activity: { type: 'reply' },
      target: page,
    });
    expect(like!['data']).not.toHaveProperty('author');
  });

  test('8.3 an RSVP has its answer and its event; a date alone gets a time without an offset', async () => {
    const { list } = await open(
      mention(1, { facts: { type: 'rsvp', property: 'rsvp', rsvp: 'maybe', published: '2026-02-03' } }),
    );
    const [record] = await list(asTarget());
    expect(record).toMatchObject({ rsvp: 'maybe', 'in-reply-to': page, 'wm-property': 'rsvp' });
    expect(record!['published']).toBe('2026-02-03T00:00:00');
  });

  test('WI-40 WI-41 fields that widgets read without a check always exist, whatever the aggregator returned', async () => {
    const jf2 = {
      url: null,
      author: null,
      content: { 'content-type': 'text/plain', value: 'x' },
      published: null,
    };
    const { list } = await open(
      mention(1),
      mention(2, {
        imported: { jf2 },
        facts: { type: 'reply', property: 'in-reply-to', content: { value: 'x' } },
      }),
      mention(3, { imported: { jf2: {} } }),
    );
    for (const record of await list(asTarget())) {
      expect(typeof record['url']).toBe('string');
      expect(typeof (record['author'] as Json)['url']).toBe('string');
      if (record['content']) expect(typeof (record['content'] as Json)['text']).toBe('string');
      for (const name of ['wm-id', 'wm-source', 'wm-target', 'wm-received', 'wm-property', 'published'])
        expect(record).toHaveProperty(name);
    }
  });

  test('WR-12 no answer contains anything that runs in a page, whatever the aggregator sent; the rest is as it sent it', async () => {
    const bad = { type: 'card', name: '<b>B</b>', url: ' java\nscript:alert(1)', photo: 'data:text/html,x' };
    const markup =
      '<p class="x">Hi <script>alert(2)</script><img src="https://b.example/1" onerror="alert(3)" /></p>';
    const clean = '<p class="x">Hi <img src="https://b.example/1" /></p>';
    const { list } = await open(
      mention(1, {
        imported: {
          jf2: {
            'wm-id': 1,
            url: 'javascript:alert(4)',
            author: bad,
            photo: ['javascript:alert(5)', 'https://b.example/p'],
            content: { html: markup, text: 'data: 1 < 2 <script>' },
          },
          json: { id: 1, data: { author: bad, url: 'vbscript:x', content: markup } },
        },
      }),
    );
    const author = { ...bad, url: '', photo: '' };
    const url = 'https://friend.example/1';
    expect(await list(asTarget())).toMatchObject([
      {
        url,
        author,
        photo: ['', 'https://b.example/p'],
        content: { html: clean, text: 'data: 1 < 2 <script>' },
      },
    ]);
    expect(await list(asTarget(), 'json')).toMatchObject([{ data: { author, url: '', content: clean } }]);
  });

  test('WI-35 imported mentions answer field by field as the aggregator does', async () => {
    const scene = await openImport(900);
    await scene.import.run({ token: aggregatorToken });
    const base = await serveReading(scene.store);
    const answered = async (format: string, key: string) =>
      (
        (await (
          await fetch(`${base}/api/mentions.${format}?${asOwner}&per-page=9999&sort-dir=up`)
        ).json()) as Json
      )[key] as Json[];
    expect(await answered('jf2', 'children')).toEqual(
      scene.io.records('jf2').map((record) => ({
        ...record,
        author: record['author'] ?? {},
        url: record['url'] ?? record['wm-source'],
      })),
    );
    expect(await answered('json', 'links')).toEqual(scene.io.records('json'));
    const invitations = (await (
      await fetch(`${base}/api/count?${asTarget(scene.io.rows[7]!.target)}`)
    ).json()) as { type: Json };
    expect(invitations.type).toHaveProperty('invite');
  });

  test('an imported mention whose source was read later answers with what was read', async () => {
    const scene = await openImport(3);
    await scene.import.run({ token: aggregatorToken });
    const { source, target } = scene.io.rows[1]!;
    const facts = { type: 'reply', property: 'in-reply-to', content: { value: 'Anew' } } as const;
    await scene.store.keep({ source, target, facts, status: 'approved', parsed: '2026-11-21T00:00:00.000Z' });
    const base = await serveReading(scene.store);
    const feed = (await (await fetch(`${base}/api/mentions.jf2?${asTarget(target)}`)).json()) as {
      children: Json[];
    };
    expect(feed.children[0]).toMatchObject({ content: { text: 'Anew' }, 'wm-id': scene.io.rows[1]!.id });
  });
});

describe('for people', () => {
  const hostile = mention(1, {
    source: 'https://friend.example/1?<script>alert(1)</script>',
    facts: {
      type: 'reply',
      property: 'in-reply-to',
      author: {
        name: '</title><script>alert(2)</script>\u0001',
        url: 'https://friend.example/"x',
        photo: '',
      },
      content: { html: '<p>]]></p>', value: '<img src=x onerror=alert(3)>' },
    },
  });

  test('the page and the feed show markup as the text that it is', async () => {
    const { get } = await open(hostile);
    for (const format of ['html', 'atom']) {
      const answer = await get(`/api/mentions.${format}?${asTarget()}`);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expect(text).not.toMatch(/<script|<img|onerror=alert\(3\)>/);
      expect(text).toContain('&lt;/title&gt;');
    }
  });

  test('the feed is a feed: each entry has id, title, author and dates', async () => {
    const { get } = await open(mention(1), hostile);
    const text = await (await get(`/api/mentions.atom?${asTarget()}`)).text();
    expect(text).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/,
    );
    expect(text.match(/<entry>/g)).toHaveLength(2);
    for (const part of ['id', 'title', 'published', 'updated', 'author'])
      expect(text.match(new RegExp(`<${part}>`, 'g'))?.length).toBeGreaterThanOrEqual(2);
  });
});

describe('the export', () => {
  test('is one JF2 feed of everything, with what became of each', async () => {
    const { store } = await open(
      mention(1),
      mention(2, { private: true }),
      mention(3, { status: 'held' }),
      mention(4, { status: 'deleted' }),
    );
    let text = '';
    for await (const piece of exportJf2(store)) text += piece;
    const feed = JSON.parse(text) as { type: string; children: Json[] };
    expect(feed.type).toBe('feed');
    expect(feed.children.map((one) => [one['wm-private'], one['porchlight-status']])).toEqual([
      [false, 'approved'],
      [true, 'approved'],
      [false, 'held'],
      [false, 'deleted'],
    ]);
  });

  test('of nothing is a feed too', async () => {
    const { store } = await open();
    let text = '';
    for await (const piece of exportJf2(store)) text += piece;
    expect(JSON.parse(text)).toEqual({ type: 'feed', name: 'Webmentions', children: [] });
  });
});
