import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { keepAnswers, type Making, type SharedAnswer } from '../../../src-main/http/kept-answers.ts';
import type { PublicAnswer } from '../../../src-main/http/page.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';

const apps: FastifyInstance[] = [];
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

/** A server that answers each path with what `make` makes of it, and keeps everything but `/unkept`. */
function serve(
  make: (
    path: string,
    making: Making,
  ) => Partial<PublicAnswer> | SharedAnswer | Promise<Partial<PublicAnswer>>,
  mostBytes?: number,
) {
  const versions = createVersions();
  const clock = { now: 1000 };
  const kept = keepAnswers({
    versions,
    now: () => clock.now,
    ...(mostBytes !== undefined && { mostBytes }),
  });
  const made: string[] = [];
  const app = Fastify();
  apps.push(app);
  app.get('/*', (request, reply) => {
    const path = request.url;
    return kept.send(request, reply, path === '/unkept' ? undefined : path, async (making) => {
      made.push(path);
      const answer = await make(path, making);
      if ('sharedKey' in answer) return answer;
      return { type: 'text/plain; charset=utf-8', text: path, ...answer };
    });
  });
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
  return { versions, clock, kept, made, app, get };
}

describe('an answer', () => {
  test('is made once more for its second request, and then no more', async () => {
    const { get, made } = serve(() => ({}));
    for (let count = 0; count < 5; count += 1) expect((await get('/a')).body).toBe('/a');
    expect(made).toEqual(['/a', '/a']);
  });

  test('is made again after any of its sources changed, and after no other', async () => {
    const { get, made, versions } = serve((_path, making) => {
      making.shows('posts', 'mentions //ann.example/');
      return {};
    });
    await get('/a');
    await get('/a');
    for (const source of ['media', 'profile', 'mentions //ann.example/b'] as const) versions.changed(source);
    await get('/a');
    expect(made).toHaveLength(2);
    for (const source of ['posts', 'mentions //ann.example/'] as const) {
      made.length = 0;
      versions.changed(source);
      await get('/a');
      await get('/a');
      expect(made).toHaveLength(1);
    }
    versions.allChanged();
    await get('/a');
    expect(made).toHaveLength(2);
  });

  test('is not kept if a source changed while it was made', async () => {
    const { get, made, versions } = serve(async (_path, making) => {
      making.shows('posts');
      await Promise.resolve();
      if (made.length < 4) versions.changed('posts');
      return { text: String(made.length) };
    });
    for (let count = 0; count < 6; count += 1) await get('/a');
    expect(made).toHaveLength(4);
    expect((await get('/a')).body).toBe('4');
  });

  test('is made again when its time is over, and when the clock is set back', async () => {
    const { get, made, clock } = serve((_path, making) => {
      if (making.now < 2000) making.until(2000);
      return {};
    });
    await get('/a');
    await get('/a');
    clock.now = 1999;
    await get('/a');
    expect(made).toHaveLength(2);
    clock.now = 2000;
    await get('/a');
    expect(made).toHaveLength(3);
    clock.now = 1999;
    await get('/a');
    expect(made).toHaveLength(4);
  });

  test('is made once for those who request it at the same time, but not from before a change', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { get, made, versions } = serve(async (_path, making) => {
      making.shows('posts');
      const text = `after ${versions.of('posts')} changes`;
      await released;
      return { text };
    });
    const early = [get('/a'), get('/a')];
    await expect.poll(() => made.length).toBe(1);
    versions.changed('posts');
    const late = get('/a');
    await expect.poll(() => made.length).toBe(2);
    release();
    expect((await Promise.all(early)).map(({ body }) => body)).toEqual([
      'after 0 changes',
      'after 0 changes',
    ]);
    expect((await late).body).toBe('after 1 changes');
  });

  test('that fails is made again for the next request', async () => {
    let failures = 2;
    const { get } = serve(() => {
      failures -= 1;
      if (failures >= 0) throw new Error('not now');
      return {};
    });
    for (const status of [500, 500, 200]) expect((await get('/a')).statusCode).toBe(status);
  });
});

describe('an error response that addresses share', () => {
  const serveNothing = () => {
    let made = 0;
    const served = serve(() => ({
      sharedKey: 'nothing',
      make(making) {
        making.shows('posts');
        made += 1;
        return Promise.resolve({ status: 404, type: 'text/plain', text: `made ${made} times` });
      },
    }));
    return { ...served, count: () => made };
  };

  test('is made once for all of them, and again after a change', async () => {
    const { get, versions, count } = serveNothing();
    for (const expected of [2, 3]) {
      for (let turn = 0; turn < 5; turn += 1) await get(`/none/${turn}`);
      const answer = await get('/other');
      expect([answer.statusCode, answer.body, count()]).toEqual([404, `made ${expected} times`, expected]);
      versions.changed('posts');
    }
  });

  test('needs room for itself only', async () => {
    const { get, kept } = serveNothing();
    for (let turn = 0; turn < 3; turn += 1) await get('/none');
    const bytes = kept.bytes();
    expect(bytes).toBeGreaterThan(0);
    for (let turn = 0; turn < 50; turn += 1) await get(`/none/${turn}`);
    expect(kept.bytes()).toBe(bytes);
  });
});

describe('nobody can fill the memory', () => {
  test('with addresses that do not exist, with an answer that has no key, or with each address once', async () => {
    const { get, kept } = serve((path) => ({ status: path.startsWith('/none') ? 404 : 200 }));
    for (let count = 0; count < 50; count += 1) {
      await get('/none');
      await get(`/none/${count}`);
      await get(`/once?x=${count}`);
      await get('/unkept');
    }
    expect(kept.bytes()).toBe(0);
  });

  test('beyond its limit: the least recently requested answer is dropped', async () => {
    const { get, kept, made } = serve(() => ({ text: 'x'.repeat(900) }), 28_000);
    for (const path of ['/a', '/b', '/c', '/d', '/e', '/f']) {
      await get(path);
      await get(path);
      await get('/a');
      expect(kept.bytes()).toBeLessThanOrEqual(28_000);
    }
    expect(kept.bytes()).toBeGreaterThan(14_000);
    made.length = 0;
    for (const path of ['/a', '/f', '/b']) await get(path);
    expect(made).toEqual(['/b']);
  });

  test('with long keys', async () => {
    const { get, kept, made } = serve(() => ({}));
    for (let count = 0; count < 3; count += 1) await get(`/${'a'.repeat(800)}`);
    expect(made).toHaveLength(3);
    expect(kept.bytes()).toBe(0);
  });

  test('with a single answer', async () => {
    const { get, kept } = serve(() => ({ text: 'x'.repeat(6000) }), 20_000);
    for (let count = 0; count < 3; count += 1) await get('/a');
    expect(kept.bytes()).toBe(0);
  });
});

describe('the headers', () => {
  const long = 'The light is on. '.repeat(100);

  test('say how the body is compressed, with one tag for both forms', async () => {
    const { get } = serve(() => ({ text: long }));
    // An answer is compressed once it is kept.
    expect((await get('/a', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
    for (const header of ['gzip', 'br, gzip;q=0.5', 'deflate, GZIP ; q=1.0']) {
      const answer = await get('/a', { 'accept-encoding': header });
      expect(answer.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-length': String(answer.rawPayload.length),
        vary: 'accept-encoding',
        etag: expect.stringMatching(/^W\/"[\w-]{27}"$/) as unknown,
      });
      expect(gunzipSync(answer.rawPayload).toString()).toBe(long);
    }
    const { etag } = (await get('/a', { 'accept-encoding': 'gzip' })).headers;
    for (const header of ['', 'identity', 'gzip;q=0', 'gzip;q=0.000, br', 'x-gzip', 'notgzip']) {
      const answer = await get('/a', { 'accept-encoding': header });
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers).toMatchObject({ vary: 'accept-encoding', etag });
      expect(answer.body).toBe(long);
    }
    const known = await get('/a', { 'accept-encoding': 'gzip', 'if-none-match': String(etag) });
    expect(known.statusCode).toBe(304);
    expect(known.headers['content-encoding']).toBeUndefined();
  });

  test('of an answer without a key, and of a short one, are those of plain text', async () => {
    const { get } = serve((path) => (path === '/unkept' ? { text: long } : {}));
    for (const path of ['/unkept', '/short'])
      expect((await get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  });

  test('let nobody store what must not be stored', async () => {
    const { get } = serve(() => ({ headers: { 'cache-control': 'no-store' } }));
    const { headers } = await get('/a');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.etag).toBeUndefined();
    expect((await get('/a', { 'if-none-match': '*' })).statusCode).toBe(200);
  });
});
