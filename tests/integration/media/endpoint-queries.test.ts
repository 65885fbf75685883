import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, expectNotKept, jsonOf } from '../../support/answers.ts';
import { openMicropub, picture, type MicropubServer } from '../../support/micropub-server.ts';

const minute = 60_000;

let server: MicropubServer;
const urls: string[] = [];
beforeAll(async () => {
  server = await openMicropub();
  for (let n = 0; n < 24; n += 1) {
    urls.unshift(await server.upload(picture(), `photo ${n}.jpg`));
    server.clock.now += minute;
  }
  urls.unshift(await server.upload(new Blob(['GIF89a']), 'moving.gif'));
});
afterAll(() => server.close());

async function answer(query: string): Promise<Record<string, unknown>> {
  const response = await server.queryMedia(query);
  expectNotKept(response);
  const body = await jsonOf(response);
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  return body;
}
const listed = async (query: string) =>
  ((await answer(`q=source${query}`))['items'] as { url: string }[]).map(({ url }) => url);

describe('MX-22 q=source', () => {
  test('is an empty list while there is nothing', async () => {
    const fresh = await openMicropub();
    const response = await fresh.queryMedia('q=source');
    expect([response.status, await response.json()]).toEqual([200, { items: [] }]);
    await fresh.close();
  });

  test('describes each file, the newest first', async () => {
    const { items } = await answer('q=source&limit=2');
    expect(items).toEqual([
      { url: urls[0], published: new Date(server.clock.now).toISOString(), mime_type: 'image/gif' },
      {
        url: urls[1],
        published: new Date(server.clock.now - minute).toISOString(),
        mime_type: 'image/jpeg',
        width: 640,
        height: 480,
      },
    ]);
  });

  test('is narrowed by limit, offset, type and name', async () => {
    expect(await listed('')).toEqual(urls.slice(0, 20));
    expect(await listed('&limit=100')).toEqual(urls);
    expect(await listed('&limit=2&offset=3')).toEqual(urls.slice(3, 5));
    expect(await listed('&mime_type=image/gif')).toEqual(urls.slice(0, 1));
    expect(await listed('&mime_type=IMAGE&limit=1&offset=1')).toEqual(urls.slice(1, 2));
    expect(await listed('&mime_type=image/*&limit=1')).toEqual(urls.slice(0, 1));
    expect(await listed('&mime_type=video')).toEqual([]);
    expect(await listed('&filter=MOVING')).toEqual(urls.slice(0, 1));
  });

  test.each(['limit=x', 'limit=0', 'limit=1.5', 'offset=-1', 'limit=1&limit=2', 'mime_type=a&mime_type=b'])(
    'MX-6 %s: 400',
    async (query) => {
      await expectError(await server.queryMedia(`q=source&${query}`), 400, 'invalid_request');
    },
  );

  test('MX-23 of one file', async () => {
    const url = urls[1] ?? '';
    expect(await answer(`q=source&url=${encodeURIComponent(url)}`)).toMatchObject({ url, width: 640 });
  });

  test.each(['/media/2026/11/none.jpg', '/posts/2026/11/x', '/'])('MX-23 of %s: 400', async (path) => {
    const url = encodeURIComponent(server.base + path);
    await expectError(await server.queryMedia(`q=source&url=${url}`), 400, 'invalid_request');
  });
});

test('MX-24 q=last returns the upload of the last hour', async () => {
  const fresh = await openMicropub();
  const last = async () => jsonOf(await fresh.queryMedia('q=last'));
  expect(await last()).toEqual({});
  const url = await fresh.upload();
  fresh.clock.now += 60 * minute - 1;
  expect(await last()).toEqual({ url });
  fresh.clock.now += 1;
  expect(await last()).toEqual({});
  await fresh.close();
});

test('MX-25 D-13 q=config names its queries, each of which is answered; so does asking nothing', async () => {
  const config = await answer('q=config');
  expect(config).toEqual({ q: ['config', 'source', 'last'], properties: expect.any(Array) as string[] });
  for (const query of config['q'] as string[]) await answer(`q=${query}`);
  expect(await answer('')).toEqual(config);
});

test.each(['q=unknown', 'q=toString', 'q=config&q=last'])('%s: 400', async (query) => {
  await expectError(await server.queryMedia(query), 400, 'invalid_request');
});

test('MP-67 queries want a token that has to do with posts', async () => {
  for (const query of ['q=source', 'q=last', 'q=config', '']) {
    const response = await server.queryMedia(query, null);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    await expectError(response, 401, 'unauthorized');
    await expectError(await server.queryMedia(query, 'unknown'), 401, 'invalid_token');
    for (const token of ['none', 'profile.email'])
      await expectError(await server.queryMedia(query, token), 403, 'insufficient_scope');
  }
  await expectError(await server.queryMedia('q=source&access_token=media', null), 401, 'unauthorized');
  for (const token of ['media', 'create', 'post'])
    expect((await server.queryMedia('q=source', token)).status).toBe(200);
  for (const token of ['draft', 'update', 'delete', 'undelete', 'read'])
    await expectError(await server.queryMedia('q=source', token), 403, 'insufficient_scope');
});

test('MP-8 a content type on a GET does no harm', async () => {
  const response = await fetch(`${server.mediaEndpoint}?q=config`, {
    headers: { authorization: 'Bearer media', 'content-type': 'application/json; charset=utf-8' },
  });
  expect(response.status).toBe(200);
});
