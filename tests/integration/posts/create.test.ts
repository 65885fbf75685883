import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../support/answers.ts';
import { fullToken, openMicropub, type MicropubServer } from '../../support/micropub-server.ts';
import { runs } from '../../support/runs.ts';

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());

/** What is stored of a post that this body creates. */
async function stored(body: BodyInit | object, type?: string) {
  const response = await server.send(body, type === undefined ? {} : { type });
  const status = expect.toBeOneOf([201, server.created]) as number;
  expect({ status: response.status, body: await jsonOf(response) }).toMatchObject({ status });
  const { type: kind, properties } = await server.source(response.headers.get('location') ?? '');
  const { published, ...rest } = properties;
  return { type: kind, properties: rest, published, post: server.changes.at(-1)!.post };
}
const urlencoded = 'application/x-www-form-urlencoded';

describe('from a form', () => {
  test('MP-20 MP-23 201, and an absolute Location', async () => {
    const response = await server.send(new URLSearchParams({ h: 'entry', content: 'Hello' }));
    expect(response.status).toBe(server.created);
    const { path } = server.changes.at(-1)!.post;
    expect(response.headers.get('location')).toBe(server.urlOf(path.split('/').at(-1) ?? ''));
    expect(server.changes.at(-1)).toMatchObject({
      change: 'created',
      url: response.headers.get('location'),
    });
  });

  test('MP-20 without h it is an h-entry; h=event is an h-event', async () => {
    expect((await stored('content=x', urlencoded)).type).toEqual(['h-entry']);
    expect((await stored('h=event&name=x', urlencoded)).type).toEqual(['h-event']);
  });

  test.each(['category[]=a&category[]=b', 'category=a&category=b', 'category%5B%5D=a&category%5B%5D=b'])(
    'MP-21 %s is a list of two',
    async (text) => {
      expect((await stored(`content=x&${text}`, urlencoded)).properties['category']).toEqual(['a', 'b']);
    },
  );

  test('MP-21 one value is a list of one, with and without brackets', async () => {
    const { properties } = await stored('content=x&category[]=a&photo=https://a.example/1.jpg', urlencoded);
    expect(properties).toEqual({ content: ['x'], category: ['a'], photo: ['https://a.example/1.jpg'] });
  });

  test.each(['foo[0]=a', 'content[html]=a', 'foo[__proto__]=a', 'foo[=a'])(
    'MP-21 %s is no syntax of forms: 400',
    async (text) => {
      await expectError(await server.send(`content=x&${text}`, { type: urlencoded }), 400, 'invalid_request');
    },
  );

  test('MP-22 reserved names are no properties, commands are kept apart', async () => {
    const { properties, post } = await stored(
      'h=entry&content=x&action=create&url=https://a.example/&mp-channel=notes&mp-syndicate-to[]=b&access_token=' +
        fullToken,
      urlencoded,
    );
    expect(properties).toEqual({ content: ['x'] });
    expect(post.commands).toEqual({ channel: ['notes'], 'syndicate-to': ['b'] });
  });

  test('MP-24 unknown properties are stored, empty ones are not', async () => {
    const { properties } = await stored('content=x&mood=calm&in-reply-to=&toString=y', urlencoded);
    expect(properties).toEqual({ content: ['x'], mood: ['calm'], toString: ['y'] });
  });

  test('MP-5 MP-8 UTF-8, whatever is written behind the media type', async () => {
    const text = 'Grüße 日本 🏮';
    const { properties } = await stored(`content=${encodeURIComponent(text)}`, `${urlencoded};charset=UTF-8`);
    expect(properties['content']).toEqual([text]);
  });

  test('MX-21 mp-photo-alt goes to the photo at the same place', async () => {
    const { properties, post } = await stored(
      'photo[]=https://a.example/1.jpg&photo[]=https://a.example/2.jpg&mp-photo-alt[]=&mp-photo-alt[]=Two',
      urlencoded,
    );
    expect(properties['photo']).toEqual([
      'https://a.example/1.jpg',
      { value: 'https://a.example/2.jpg', alt: 'Two' },
    ]);
    expect(post.commands).toEqual({});
  });

  test('MP-29 multipart without files is a form', async () => {
    const data = new FormData();
    for (const [name, value] of [
      ['h', 'entry'],
      ['content', 'Zeile 1\r\nZeile 2 ü'],
      ['category[]', 'a'],
      ['category[]', 'b'],
    ] as const)
      data.append(name, value);
    expect((await stored(data)).properties).toEqual({
      content: ['Zeile 1\r\nZeile 2 ü'],
      category: ['a', 'b'],
    });
  });
});

describe('from JSON', () => {
  test('MP-20 type is h-entry if it is missing; Content-Type may name the charset (MP-8)', async () => {
    const body = JSON.stringify({ properties: { content: ['x'] } });
    expect((await stored(body, 'application/json; charset=utf-8')).type).toEqual(['h-entry']);
  });

  test('MP-28 MP-26 nested objects, numbers, order: nothing is lost', async () => {
    const properties = {
      summary: ['Weighed'],
      weight: [
        { type: ['h-measure'], properties: { num: [70.64, -0.5, 1e21], unit: ['kg'], b: [true, null] } },
      ],
      photo: [{ value: 'https://a.example/1.jpg', alt: 'One' }],
      'x-empty': [],
      content: [{ html: '<b>hi</b>' }],
    };
    const { properties: kept } = await stored({ type: ['h-entry'], properties });
    expect(kept).toEqual(properties);
    expect(Object.keys(kept)).toEqual(Object.keys(properties));
  });

  test('MP-32 a value that is no list is taken as a list of one', async () => {
    const { properties, post } = await stored({
      properties: { content: 'x', category: 'a', 'mp-channel': 'notes' },
    });
    expect(properties).toEqual({ content: ['x'], category: ['a'] });
    expect(post.commands).toEqual({ channel: ['notes'] });
  });

  test('MP-22 MX-18 commands are found inside properties and beside them', async () => {
    const { post } = await stored({
      properties: { content: ['x'], 'mp-syndicate-to': ['a'] },
      'mp-channel': 'notes',
    });
    expect(post.commands).toEqual({ 'syndicate-to': ['a'], channel: ['notes'] });
  });

  test.each([
    ['words', 'The porch'],
    ['an address', 'https://cafe.example/'],
    ['geo:', 'geo:51.05,3.72;u=35'],
    ['h-adr', { type: ['h-adr'], properties: { locality: ['Ghent'] } }],
    ['h-geo', { type: ['h-geo'], properties: { latitude: [51.05], longitude: [3.72] } }],
    ['h-card', { type: ['h-card'], properties: { name: ['Cafe'] }, value: 'Cafe' }],
  ])('MP-33 location may be %s', async (_name, location) => {
    const { properties } = await stored({ properties: { content: ['x'], location: [location] } });
    expect(properties['location']).toEqual([location]);
  });

  test.each([(base: string) => `${base}/`, () => 'https://elsewhere.example/'])(
    'MX-19 mp-destination may name this site or an unknown one, and is not stored as a property',
    async (destination) => {
      const value = destination(server.base);
      for (const body of [
        new URLSearchParams({ content: 'x', 'mp-destination': value }),
        { properties: { content: ['x'], 'mp-destination': [value] } },
      ])
        expect((await stored(body)).properties).toEqual({ content: ['x'] });
    },
  );

  test('any properties come back unchanged from q=source', async () => {
    const name = fc.stringMatching(/^[a-z][a-z-]{0,8}$/).filter((text) => !isSpecial(text));
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .map((json) => JSON.parse(JSON.stringify(json)) as unknown) // JSON has no -0
      .filter((json) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(json)));
    const properties = fc.dictionary(name, fc.array(value, { maxLength: 3 }), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(properties, async (random) => {
        const posted = { name: ['x'], ...random };
        const { published, ...kept } = (await server.source(await server.create(posted))).properties;
        expect(published).toHaveLength(1);
        expect(kept).toEqual(posted);
      }),
      { numRuns: runs(60) },
    );
  });
});

const isSpecial = (name: string) =>
  ['published', 'visibility', 'post-status'].includes(name) || name.startsWith('mp-');

describe('the kind of a post', () => {
  test('MP-30 published is now unless given, and a given one keeps its offset', async () => {
    expect((await stored('content=x', urlencoded)).published).toEqual(['2026-11-20T12:00:00.000Z']);
    const given = '2026-01-02T03:04:05-08:00';
    expect((await stored({ properties: { content: ['x'], published: [given] } })).published).toEqual([given]);
  });

  test('MX-1 mp-slug names the address; an empty one does not', async () => {
    const one = await server.create({ content: ['x'], 'mp-slug': ['my-slug'] });
    expect(one).toBe(server.urlOf('my-slug'));
    const { properties, post } = await stored('content=x&mp-slug=', urlencoded);
    expect(post.path).not.toContain('slug');
    expect([properties, post.commands]).toEqual([{ content: ['x'] }, {}]);
    expect((await stored('content=x&slug=old-name', urlencoded)).post.path).toMatch(/\/old-name$/);
  });

  test('MX-2 a draft is a draft, and has no date of publishing yet', async () => {
    const { properties, published, post } = await stored('content=x&post-status=draft', urlencoded);
    expect(post.status).toBe('draft');
    expect(properties['post-status']).toEqual(['draft']);
    expect(published).toBeUndefined();
  });

  test.each(['public', 'unlisted', 'private'])('MX-3 visibility may be %s', async (visibility) => {
    expect((await stored({ properties: { content: ['x'], visibility } })).post.visibility).toBe(visibility);
  });

  test.each([
    { 'post-status': ['secret'] },
    { 'post-status': ['draft', 'published'] },
    { 'post-status': [{}] },
    { visibility: ['protected'] },
    { visibility: [1] },
    { 'mp-slug': [{}] },
  ])('MX-2 MX-3 %j: 400', async (properties) => {
    const response = await server.send({ properties: { content: ['x'], ...properties } });
    await expectError(response, 400, 'invalid_request');
  });
});
