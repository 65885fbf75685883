import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError } from '../../../support/answers.ts';
import { openMicropub, type MicropubServer } from '../../../support/micropub-server.ts';

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());

const published = ['2026-01-01T00:00:00Z'];
const update = (url: string, operations: object) => server.send({ action: 'update', url, ...operations });
const propertiesOf = async (url: string) => (await server.source(url)).properties;

describe('an update', () => {
  const photo = (alt: string) => ({ value: 'https://a.example/1.jpg', alt });
  const start = { content: ['Hello'], category: ['a', 'b'], photo: [photo('One')], published };

  test.each([
    ['MP-42 replace replaces all values', { replace: { category: ['c'] } }, { ...start, category: ['c'] }],
    ['MP-42 replace creates what is absent', { replace: { name: ['N'] } }, { ...start, name: ['N'] }],
    ['MP-43 add appends', { add: { category: ['c'] } }, { ...start, category: ['a', 'b', 'c'] }],
    ['MP-43 add creates what is absent', { add: { syndication: ['x'] } }, { ...start, syndication: ['x'] }],
    ['MP-43 what is there already is not doubled', { add: { photo: [photo('One')] } }, start],
    ['MP-44 delete drops properties', { delete: ['category', 'photo'] }, { content: ['Hello'], published }],
    ['MP-44 delete drops values', { delete: { category: ['a'] } }, { ...start, category: ['b'] }],
    [
      'MP-44 a property without values disappears',
      { delete: { category: ['a', 'b'] } },
      { content: ['Hello'], photo: [photo('One')], published },
    ],
    [
      'MP-44 objects are compared by content, whatever the order of their keys',
      { delete: { photo: [{ alt: 'One', value: 'https://a.example/1.jpg' }] } },
      { content: ['Hello'], category: ['a', 'b'], published },
    ],
    ['MP-44 an object that differs stays', { delete: { photo: [photo('Two')] } }, start],
    [
      'MP-40 all at once',
      { replace: { content: ['Bye'] }, add: { category: ['c'] }, delete: { category: ['a'] } },
      { ...start, content: ['Bye'], category: ['b', 'c'] },
    ],
  ])('%s', async (_name, operations, expected) => {
    const url = await server.create(start);
    const response = await update(url, operations);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(await propertiesOf(url)).toEqual(expected);
    expect(server.changes.at(-1)).toMatchObject({ change: 'updated', url });
  });

  test.each([
    ['MP-40 nothing to do', {}],
    ['MP-40 the word remove', { remove: ['category'] }],
    ['MP-40 an empty operation', { replace: {} }],
    ['MP-41 MR 405 replace that is text', { replace: 'This is not a valid update request.' }],
    ['MP-41 replace that is a list', { replace: ['content'] }],
    ['MP-41 replace with a value that is no list', { replace: { content: 'x' } }],
    ['MP-41 add with a value that is no list', { add: { category: 'x' } }],
    ['MP-41 add that is null', { add: null }],
    ['MP-44 delete that is text', { delete: 'category' }],
    ['MP-44 delete of names that are none', { delete: [{ category: ['a'] }] }],
    ['MP-48 delete of names and of values in one list', { delete: ['photo', { category: ['a'] }] }],
    ['MP-44 delete with a value that is no list', { delete: { category: 'a' } }],
    ['MP-49 one bad operation beside a good one', { replace: { content: ['New'] }, add: { category: 'x' } }],
    [
      'MX-2 an unknown post-status beside a good change',
      { replace: { content: ['N'], 'post-status': ['x'] } },
    ],
    ['MX-3 an unknown visibility by add', { add: { visibility: ['x'] } }],
  ])('%s: 400, and the post is untouched (MP-49)', async (_name, operations) => {
    const url = await server.create(start);
    const before = server.changes.length;
    await expectError(await update(url, operations), 400, 'invalid_request');
    expect(await propertiesOf(url)).toEqual(start);
    expect(server.changes).toHaveLength(before);
  });

  test('MP-45 MX-1 a new mp-slug moves the post: 201, and the old address still leads to it', async () => {
    const url = await server.create(start);
    for (const [n, operations] of [
      { 'mp-slug': 'top-level' },
      { replace: { 'mp-slug': ['inside'] } },
    ].entries()) {
      const response = await update(url, operations);
      expect(response.status).toBe(201);
      expect(response.headers.get('location')).toBe(server.urlOf(['top-level', 'inside'][n] ?? ''));
      if (n > 0) break;
      expect(await propertiesOf(url)).toEqual(start);
    }
  });

  test('MP-22 commands beside the operations are kept apart from the properties', async () => {
    const url = await server.create(start);
    expect((await update(url, { add: { category: ['c'] }, 'mp-syndicate-to': ['s'] })).status).toBe(204);
    expect(server.changes.at(-1)?.post.commands).toEqual({ 'syndicate-to': ['s'] });
    expect(Object.keys(await propertiesOf(url))).not.toContain('mp-syndicate-to');
  });

  test('MP-2 cannot store a token', async () => {
    const url = await server.create(start);
    await update(url, { replace: { access_token: ['x'], name: ['N'] } });
    expect(await propertiesOf(url)).toEqual({ ...start, name: ['N'] });
  });

  test('MX-2 replacing post-status publishes a draft, and dates it then', async () => {
    const url = await server.create({ content: ['x'], 'post-status': ['draft'] });
    server.clock.now += 60_000;
    await update(url, { replace: { 'post-status': ['published'] } });
    const { post } = server.changes.at(-1)!;
    expect(post.status).toBe('published');
    expect(post.properties['published']).toEqual([new Date(server.clock.now).toISOString()]);
  });

  test('MX-3 deleting visibility makes the post public', async () => {
    const url = await server.create({ content: ['x'], visibility: ['private'] });
    await update(url, { delete: ['visibility'] });
    expect(server.changes.at(-1)?.post.visibility).toBe('public');
  });

  test('MP-49 of a deleted post: 400', async () => {
    const url = await server.create(start);
    await server.send({ action: 'delete', url });
    await expectError(await update(url, { replace: { content: ['x'] } }), 400, 'invalid_request');
  });
});

describe('delete and undelete', () => {
  const bodies = {
    JSON: (action: string, url: string) => ({ action, url }),
    'a form': (action: string, url: string) => new URLSearchParams({ action, url }),
  };

  test.each(Object.entries(bodies))('MP-50 MP-51 MP-52 by %s, as often as one likes', async (_name, body) => {
    const url = await server.create({ content: ['x'], category: ['a'], published });
    const before = server.changes.length;
    for (const action of ['delete', 'delete', 'undelete', 'undelete']) {
      expect((await server.send(body(action, url))).status).toBe(204);
      const found = await server.query(`q=source&url=${encodeURIComponent(url)}`);
      expect(found.status).toBe(action === 'delete' ? 400 : 200);
    }
    // A deletion that is repeated may have failed halfway before, so who listens hears of it again.
    const heard = server.changes.slice(before).map(({ change }) => change);
    expect(heard).toEqual(['deleted', 'deleted', 'undeleted']);
    expect(await propertiesOf(url)).toEqual({ content: ['x'], category: ['a'], published });
  });
});

test.each(['update', 'delete', 'undelete'])('MP-46 %s of an unknown url: 400', async (action) => {
  const path = new URL(await server.create({ content: ['x'] })).pathname;
  const urls = [
    `${server.base}/posts/2026/11/nowhere`,
    `${server.base}/`,
    `https://elsewhere.example${path}`,
    `${server.base}${path}?other`,
    `${server.base}/posts/..%2f..%2fsettings.json`,
    path,
    'no url',
    'javascript:alert(1)',
  ];
  for (const url of urls) {
    const response = await server.send({ action, url, add: { category: ['x'] } });
    await expectError(response, 400, 'invalid_request');
  }
});
