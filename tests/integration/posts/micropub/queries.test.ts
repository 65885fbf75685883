import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, expectNotKept, jsonOf } from '../../../support/answers.ts';
import { openMicropub, type MicropubServer } from '../../../support/micropub-server.ts';

let server: MicropubServer;
const day = (n: number) => `2026-10-${String(n).padStart(2, '0')}T00:00:00Z`;
beforeAll(async () => {
  server = await openMicropub();
  for (let n = 1; n <= 5; n += 1)
    await server.create({ content: [`Note ${n}`], category: ['a', `c${n}`], published: [day(n)] });
  await server.create({ 'like-of': ['https://a.example/'], published: [day(6)] });
  await server.create({ content: ['Draft'], 'post-status': ['draft'], published: [day(7)] });
  await server.create({ content: ['Hidden'], visibility: ['private'], published: [day(8)] });
});
afterAll(() => server.close());

interface List {
  items: { type?: string[]; properties: Record<string, unknown[]> }[];
  paging: { before?: string; after?: string };
}
async function answer(query: string): Promise<Record<string, unknown>> {
  const response = await server.query(query);
  const body = await jsonOf(response);
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  return body;
}
const list = async (query = '') => (await answer(`q=source${query}`)) as unknown as List;
const contents = ({ items }: List) => items.map(({ properties }) => properties['content']?.[0]);
const notes = ['Note 5', 'Note 4', 'Note 3', 'Note 2', 'Note 1'];

describe('q=config', () => {
  test('MP-60 MP-75 D-13 is an object, and the answer to a request without a query', async () => {
    const config = await answer('q=config');
    expect(config).toMatchObject({
      'syndicate-to': [{ uid: 'https://social.example/@ada', name: 'Social' }],
      channels: [{ uid: 'notes', name: 'Notes' }],
      destination: [{ uid: `${server.base}/` }],
      'media-endpoint': `${server.base}/media`,
      visibility: ['public', 'unlisted', 'private'],
    });
    expect(await answer('')).toEqual(config);
  });

  test('MX-15 tells what can be posted, by type and name', async () => {
    const { 'post-types': types } = await answer('q=post-types');
    expect(types).toEqual(
      expect.arrayContaining([
        { type: 'note', name: 'Note' },
        { type: 'rsvp', name: 'RSVP' },
      ]),
    );
  });

  test('MX-16 MX-33 every query that it names is answered, and so is every key of it', async () => {
    const config = await answer('q=config');
    for (const query of config['q'] as string[]) await answer(`q=${query}`);
    for (const key of Object.keys(config)) expect(await answer(`q=${key}`)).toEqual({ [key]: config[key] });
  });

  test('MX-4 MX-17 names who may see a post, the properties and the commands that it knows', async () => {
    const { visibility, properties, mp } = await answer('q=config');
    expect(visibility).toEqual(['public', 'unlisted', 'private']);
    expect(properties).toEqual(expect.arrayContaining(['content', 'photo', 'in-reply-to', 'post-status']));
    expect(mp).toEqual(['slug', 'syndicate-to', 'channel', 'destination', 'photo-alt']);
  });

  test('MX-32 is computed for each request: it changes with the settings', async () => {
    for (const query of ['q=config', 'q=source', 'q=category', 'q=unknown'])
      expectNotKept(await server.query(query));
  });

  test('MP-61 MX-10 q=syndicate-to, for any kind of post', async () => {
    const expected = { 'syndicate-to': server.settings.syndicateTo };
    expect(await answer('q=syndicate-to')).toEqual(expected);
    expect(await answer('q=syndicate-to&post-type=note')).toEqual(expected);
  });

  test('MX-20 MX-33 q=channel', async () => {
    expect(await answer('q=channel')).toEqual({ channels: [{ uid: 'notes', name: 'Notes' }] });
  });

  test('MX-13 MX-9 MX-6 MX-7 q=category: those of the settings, then those in use', async () => {
    const { categories } = await answer('q=category');
    expect(categories).toEqual(['chosen', 'a', 'c5', 'c4', 'c3', 'c2', 'c1']);
    expect(await answer('q=category&filter=C4')).toEqual({ categories: ['c4'] });
    expect(await answer('q=category&search=ose')).toEqual({ categories: ['chosen'] });
    expect(await answer('q=category&limit=2&offset=1')).toEqual({ categories: ['a', 'c5'] });
  });

  test('MX-29 q=media-endpoint', async () => {
    expect(await answer('q=media-endpoint')).toEqual({ 'media-endpoint': server.mediaEndpoint });
  });

  test('MP-8 a content type on a GET does no harm', async () => {
    const response = await fetch(`${server.endpoint}?q=config`, {
      headers: { authorization: 'Bearer create', 'content-type': 'application/json; charset=utf-8' },
    });
    expect(response.status).toBe(200);
    expectNotKept(response);
  });

  test.each(['q=unknown', 'q=toString', 'q=__proto__', 'q=config&q=source'])(
    'MP-65 %s: 400',
    async (query) => {
      await expectError(await server.query(query), 400, 'invalid_request');
    },
  );
});

describe('q=source of one post', () => {
  let query = '';
  beforeAll(async () => {
    const properties = { content: ['One'], category: ['a'], published: [day(1)], 'mp-channel': ['notes'] };
    query = `q=source&url=${encodeURIComponent(await server.create(properties))}`;
  });
  afterAll(() =>
    server.send({ action: 'delete', url: decodeURIComponent(query.slice('q=source&url='.length)) }),
  );

  test('MP-62 MP-66 all of it, and no command', async () => {
    expect(await answer(query)).toEqual({
      type: ['h-entry'],
      properties: { content: ['One'], category: ['a'], published: [day(1)] },
    });
  });

  test.each([
    ['properties=content', { content: ['One'] }],
    ['properties[]=content', { content: ['One'] }],
    ['properties%5B%5D=category&properties%5B%5D=content', { content: ['One'], category: ['a'] }],
    ['properties[]=name&properties[]=toString', {}],
  ])('MP-63 %s: only those', async (narrowed, properties) => {
    expect(await answer(`${query}&${narrowed}`)).toEqual({ properties });
  });

  test('MP-64 content is HTML if it was posted as HTML, else text', async () => {
    for (const content of [{ html: '<b>x</b>' }, '<b>x</b>'])
      expect(
        (await server.source(await server.create({ content: [content] }))).properties['content'],
      ).toEqual([content]);
  });

  test('MP-65 of an unknown url: 400', async () => {
    const response = await server.query('q=source&url=https://elsewhere.example/');
    await expectError(response, 400, 'invalid_request');
  });
});

describe('q=source as a list', () => {
  const scope = '&filter=Note';

  test('MX-5 newest first, each with its url', async () => {
    const found = await list(scope);
    expect(contents(found)).toEqual(notes);
    for (const { type, properties } of found.items) {
      expect(type).toEqual(['h-entry']);
      expect((await server.source(String(properties['url']?.[0]))).properties['content']).toEqual(
        properties['content'],
      );
    }
  });

  test('MX-5 properties[] narrows each item, but its url stays', async () => {
    const { items } = await list(`${scope}&properties[]=category`);
    for (const { properties } of items) expect(Object.keys(properties).sort()).toEqual(['category', 'url']);
  });

  test('MX-6 MX-7 limit and offset', async () => {
    expect(contents(await list(`${scope}&limit=2`))).toEqual(notes.slice(0, 2));
    expect(contents(await list(`${scope}&limit=2&offset=1`))).toEqual(notes.slice(1, 3));
  });

  test('MX-8 after leads through all of them, before leads back', async () => {
    const seen: unknown[] = [];
    let page = await list(`${scope}&limit=2`);
    for (;;) {
      seen.push(...contents(page));
      expect(page.paging.before).toEqual(expect.any(String));
      if (page.paging.after === undefined) break;
      page = await list(`${scope}&limit=2&after=${encodeURIComponent(page.paging.after)}`);
    }
    expect(seen).toEqual(notes);
    const newer = await list(`${scope}&limit=2&before=${encodeURIComponent(page.paging.before ?? '')}`);
    expect(contents(newer)).toEqual(notes.slice(2, 4));
    expect((await list('&filter=no-such-words')).paging).toEqual({});
  });

  test('MX-9 filter is without case', async () => {
    expect(contents(await list('&filter=nOtE%203'))).toEqual(['Note 3']);
  });

  test('MX-10 post-type, with and without brackets; an unknown one has no posts', async () => {
    for (const query of ['&post-type=like', '&post-type[]=like'])
      expect((await list(query)).items.map(({ properties }) => properties['like-of'])).toEqual([
        ['https://a.example/'],
      ]);
    expect(await list('&post-type=jam')).toEqual({ items: [], paging: {} });
  });

  test('MX-11 post-status and visibility', async () => {
    expect(contents(await list('&post-status=draft'))).toEqual(['Draft']);
    expect(contents(await list('&visibility=private'))).toEqual(['Hidden']);
    expect(contents(await list('&visibility=private&post-status=draft'))).toEqual([]);
  });

  test.each([
    'limit=x',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e3',
    'limit=2&limit=3',
    'offset=x',
    'offset=-1',
    'filter=a&filter=b',
    'post-status=x',
    'visibility=protected',
    'post-type=a&post-type=b',
  ])('MX-6 %s: 400', async (query) => {
    await expectError(await server.query(`q=source&${query}`), 400, 'invalid_request');
  });
});
