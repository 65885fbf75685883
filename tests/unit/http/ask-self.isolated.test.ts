import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { createAskSelf } from '../../../src-main/http/ask-self.ts';
import { keepAnswers } from '../../../src-main/http/kept-answers.ts';
import { limitCost, usualCostLimits } from '../../../src-main/http/visitor-cost.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';

const apps: FastifyInstance[] = [];
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

/** The beginning of a body whose rest never comes. */
async function* endless() {
  yield 'a';
  await new Promise(() => undefined);
}

function serve(limitMs = usualCostLimits.nearbyMs, askMs = 30_000) {
  const made: string[] = [];
  const kept = keepAnswers({ versions: createVersions(), now: () => 1000 });
  const app = Fastify();
  apps.push(app);
  limitCost(app, {
    limits: { ...usualCostLimits, nearbyMs: limitMs },
    payerOf: () => Promise.resolve(undefined),
    refused: () => undefined,
  });
  app.get('/page', (request, reply) => {
    made.push('page');
    return kept.send(request, reply, '/page', () => {
      made.push('made');
      return Promise.resolve({
        type: 'text/plain',
        text: `${request.headers.host ?? ''} ${'a'.repeat(2000)}`,
      });
    });
  });
  app.get('/slow', (_request, reply) => {
    const end = performance.now() + 60;
    while (performance.now() < end);
    return reply.header('link', ['<a>', '<b>']).send('slow');
  });
  app.get('/hanging', () => new Promise(() => undefined));
  app.get('/halting', (_request, reply) => reply.send(Readable.from(endless())));
  app.get('/large', (_request, reply) => reply.send(Buffer.alloc(5000)));
  const ask = createAskSelf({
    app: () => app,
    base: () => 'https://owner.example',
    mostBytes: 4000,
    limitMs: askMs,
  });
  return { app, ask, made };
}

test('asks for an address under the public host, and gets it uncompressed', async () => {
  const { ask } = serve();
  for (let count = 0; count < 3; count += 1) {
    const { status, headers, body } = await ask('/page');
    expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding: undefined });
    expect(Buffer.from(body).toString()).toMatch(/^owner\.example a+$/);
  }
  expect((await ask('/slow')).headers['link']).toBe('<a>, <b>');
});

test('does not read a body that is too large', async () => {
  expect(await serve().ask('/large')).toEqual({ status: 413, headers: {}, body: new Uint8Array() });
});

test.each(['/hanging', '/halting'])('gives up on %s, whose response never ends', async (address) => {
  expect(await serve(undefined, 50).ask(address)).toMatchObject({ status: 504 });
  const stopping = new AbortController();
  const asked = serve().ask(address, stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
});

test('own requests use no visitor’s budget, unlike requests that only claim to be own', async () => {
  const { app, ask } = serve(100);
  for (let count = 0; count < 3; count += 1) expect((await ask('/slow')).status).toBe(200);
  const headers = { 'porchlight-own': 'a'.repeat(43) };
  const statuses: number[] = [];
  for (let count = 0; count < 10; count += 1)
    statuses.push((await app.inject({ url: '/slow', headers })).statusCode);
  expect(statuses).toContain(429);
  expect((await ask('/slow')).status).toBe(200);
});

test('an answer is not kept because of own requests, but a kept one is used for them', async () => {
  const { app, ask, made } = serve();
  for (let count = 0; count < 3; count += 1) await ask('/page');
  expect(made.filter((one) => one === 'made')).toHaveLength(3);
  for (let count = 0; count < 2; count += 1) await app.inject('/page');
  expect(made.filter((one) => one === 'made')).toHaveLength(5);
  await ask('/page');
  expect(made.filter((one) => one === 'made')).toHaveLength(5);
});

test('a server that is off is not asked', async () => {
  const ask = createAskSelf({ app: () => undefined, base: () => 'https://owner.example', mostBytes: 1 });
  await expect(ask('/')).rejects.toMatchObject({ code: 'server_off' });
});
