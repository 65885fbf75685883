import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { bearerOf } from '../../../src-main/http/bearer.ts';
import { keepAnswers } from '../../../src-main/http/kept-answers.ts';
import { paceOf, payAs, usualCostLimits, type CostLimits } from '../../../src-main/http/visitor-cost.ts';
import { postChanges } from '../../../src-main/posts/post-changes.ts';
import { createPostStore } from '../../../src-main/posts/stored-posts.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import { createSite } from '../../../src-main/site/site.ts';
import { fillWithPosts } from '../../bench/post-folder.ts';
import { patience } from '../../support/patience.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { recordsIn } from '../../support/records-in.ts';
import { ann, memoryMedia, plainSite } from '../../support/site.ts';
import { markdownHere } from '../../support/folder-reading.ts';

/** Uses so many ms of CPU time: on a busy computer that takes longer. */
function busy(ms: number): void {
  const start = process.cpuUsage();
  for (let spent = 0; spent < ms * 1000;) {
    const { user, system } = process.cpuUsage(start);
    spent = user + system;
  }
}

/** Routes whose cost is known. */
const routes: FastifyPluginCallback = (app, _options, done) => {
  app.get('/small', () => 'x');
  app.get('/dear', () => {
    busy(20);
    return 'x';
  });
  app.get('/long', async (request) => {
    const pace = paceOf(request);
    for (let step = 0; step < 200; step += 1) {
      busy(1);
      await pace.step();
    }
    return 'x';
  });
  app.get('/stream', (_request, reply) =>
    reply.type('text/plain').send(
      Readable.from(
        (function* () {
          for (let chunk = 0; chunk < 40; chunk += 1) {
            busy(5);
            yield 'x'.repeat(20_000);
          }
        })(),
        { objectMode: false, highWaterMark: 1 },
      ),
    ),
  );
  app.get('/app', (request) => {
    payAs(request, bearerOf(request) ?? '');
    busy(20);
    return 'x';
  });
  app.post('/upload', { config: { upload: true } }, () => {
    busy(20);
    return 'x';
  });
  app.get('/waits', { config: { waits: true } }, async () => {
    await delay(200);
    return 'x';
  });
  done();
};

let app: FastifyInstance | undefined;
let base = '';
let refusals = 0;
afterEach(async () => {
  app?.server.closeAllConnections();
  await app?.close();
});

async function open(limits: Partial<CostLimits>, feature = routes): Promise<void> {
  refusals = 0;
  app = await buildPublicApp({
    log: silentLog,
    features: [feature],
    closing: () => undefined,
    cost: {
      limits: { ...usualCostLimits, ...limits },
      payerOf: (request) => Promise.resolve(bearerOf(request) === 'good' ? 'grant-1' : undefined),
      refused: () => void (refusals += 1),
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

async function visit(url: string, visitor = '203.0.113.1', init: RequestInit = {}): Promise<Response> {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'cf-connecting-ip': visitor };
  const response = await fetch(`${base}${url}`, { ...init, headers });
  await response.arrayBuffer();
  return response;
}

/** Asks until it is refused, at most so often; returns how many were answered. */
async function untilRefused(url: string, most: number, init?: RequestInit): Promise<number> {
  for (let count = 0; count < most; count += 1)
    if ((await visit(url, '203.0.113.1', init)).status === 429) return count;
  return most;
}

test('a visitor over the limit gets 429 with Retry-After; another visitor is answered', async () => {
  await open({ visitorMs: 400 });
  // Half of it at once: ten requests of 20 ms, and as many more as the minute earns meanwhile.
  const answered = await untilRefused('/dear', 40);
  expect(answered).toBeGreaterThan(5);
  expect(answered).toBeLessThan(25);
  const refused = await visit('/small');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await visit('/dear', '203.0.113.2')).status).toBe(200);
  expect(refusals).toBeGreaterThan(0);
});

test.each([
  ['an unknown address', '/nothing', {}],
  ['a method that is not there', '/small', { method: 'PUT' }],
  [
    'a preflight',
    '/small',
    { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' } },
  ],
  ['a HEAD', '/small', { method: 'HEAD' }],
  [
    'a body that cannot be read',
    '/small',
    { method: 'POST', body: '<', headers: { 'content-type': 'text/xml' } },
  ],
] as [string, string, RequestInit][])(
  '%s counts toward the limit of its visitor',
  async (_name, url, init) => {
    await open({ visitorMs: 10 });
    expect(await untilRefused(url, 60, init)).toBeLessThan(40);
  },
);

test('a malformed address counts', async () => {
  await open({ visitorMs: 10 });
  for (let count = 0; count < 15; count += 1)
    await rawRequest(
      base,
      'GET /%zz HTTP/1.1\r\nHost: x\r\nCF-Connecting-IP: 203.0.113.1\r\nConnection: close\r\n\r\n',
    );
  expect((await visit('/small')).status).toBe(429);
});

test('only a valid token exempts a request from the limit of its visitor', async () => {
  await open({ visitorMs: 100 });
  await untilRefused('/dear', 40);
  const as = (token: string) =>
    visit('/small', '203.0.113.1', { headers: { authorization: `Bearer ${token}` } });
  expect((await as('fake')).status).toBe(429);
  expect((await as('good')).status).toBe(200);
});

test('an app over its limit is refused although its visitor is within the limit; other apps at that address are answered', async () => {
  await open({ appMs: 400 });
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const answered = await untilRefused('/app', 40, as('busy'));
  expect(answered).toBeGreaterThan(5);
  expect(answered).toBeLessThan(25);
  const refused = await visit('/app', '203.0.113.2', as('busy'));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await visit('/app', '203.0.113.1', as('other'))).status).toBe(200);
  expect((await visit('/small')).status).toBe(200);
});

test('the work for an upload counts once its body has arrived', async () => {
  await open({ visitorMs: 400 });
  const init = { method: 'POST', body: new URLSearchParams({ h: 'entry' }) };
  expect(await untilRefused('/upload', 40, init)).toBeLessThan(25);
});

test('who waits for an event pays nothing for it', async () => {
  await open({ visitorMs: 60 });
  for (let count = 0; count < 5; count += 1) expect((await visit('/waits')).status).toBe(200);
  expect((await visit('/small')).status).toBe(200);
});

test('a visitor does not pay for long work of another that runs at the same time', async () => {
  await open({ visitorMs: 200 });
  const long = Promise.allSettled([visit('/long'), visit('/long')]);
  let small = 0;
  for (let count = 0; count < 40; count += 1)
    if ((await visit('/small', '203.0.113.2')).status === 200) small += 1;
  expect(small).toBe(40);
  app?.server.closeAllConnections();
  await long;
});

test('long work over the limit is slowed down, and refused if that takes too long', async () => {
  await open({ visitorMs: 100, mostPauseMs: 1000 });
  const answer = await visit('/long');
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a stream is paid for while it is produced, and slows down at the limit', async () => {
  await open({ visitorMs: 200 });
  let bytes = 0;
  const reading = fetch(`${base}/stream`, { headers: { 'cf-connecting-ip': '203.0.113.1' } }).then(
    async (response) => {
      for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
    },
  );
  reading.catch(() => undefined);
  await expect.poll(() => bytes, patience).toBeGreaterThan(0);
  await delay(1500);
  expect(bytes).toBeLessThan(40 * 20_000);
});

test('a visitor has at most four requests of long work under way', async () => {
  await open({ visitorMs: 100_000 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => visit('/long')));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(4);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  expect((await visit('/long')).status).toBe(200);
});

test('programs on this computer pay for expensive requests, and not for small ones', async () => {
  await open({ nearbyMs: 200 });
  const ask = async (url: string) => (await fetch(base + url)).status;
  for (let count = 0; count < 300; count += 1) expect(await ask('/small')).toBe(200);
  const statuses = await Promise.all(Array.from({ length: 30 }, () => ask('/dear')));
  expect(statuses).toContain(200);
  expect(await ask('/dear')).toBe(429);
});

describe('a site with 3000 posts', () => {
  let dataDir = '';
  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-cost-'));
    await fillWithPosts(dataDir, 3000);
  }, 360_000);
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test.each(['/sitemap.xml', '/categories/topic-1', '/categories/no-such-topic'])(
    'a visitor who reads %s over and over uses at most its share, and another visitor is answered in the meantime',
    async (url) => {
      const records = await recordsIn(dataDir);
      const versions = createVersions();
      const changes = postChanges({ records, versions, log: silentLog });
      const posts = createPostStore({ records, changes, base: () => base });
      const site = createSite({
        markdown: markdownHere,
        posts,
        media: memoryMedia(),
        responses: { of: () => Promise.resolve([]), picture: () => Promise.resolve(undefined) },
        kept: keepAnswers({ versions, now: Date.now }),
        profile: () => ann,
        settings: () => plainSite,
        photo: () => Promise.resolve(null),
        links: () => [],
        base: () => base,
        now: () => Date.parse('2026-11-23T14:05:00.000Z'),
      });
      await open({ visitorMs: 100, mostPauseMs: 2000 }, site.routes);
      const attack = Array.from({ length: 6 }, () => visit(url).catch(() => undefined));
      const other = await visit('/', '203.0.113.2');
      expect(other.status).toBe(200);
      await Promise.all(attack);
      // What a query answers is cheap: it takes hundreds of visits.
      let { status } = await visit(url);
      for (let visits = 0; status !== 429 && visits < 5000; visits += 1) ({ status } = await visit(url));
      expect(status).toBe(429);
      // One more visitor: with a share as small as this one, a home page on a busy computer may use up its own.
      expect((await visit('/', '203.0.113.3')).status).toBe(200);
    },
    60_000,
  );
});
