import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { silentLog } from '../../../src-main/platform/log.ts';

const routes: FastifyPluginCallback = (app, _options, done) => {
  app.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return 'x';
  });
  app.post('/form', () => 'x');
  done();
};

async function serve(timing?: boolean): Promise<FastifyInstance> {
  const app = await buildPublicApp({
    log: silentLog,
    features: [routes],
    closing: () => undefined,
    timing,
  });
  onTestFinished(() => app.close());
  return app;
}

const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } } as const;

test('with the flag, a response says how long each phase took', async () => {
  const app = await serve(true);
  const began = performance.now();
  const { headers } = await app.inject('/slow');
  const all = performance.now() - began;
  const [, hooks, reading, answering] =
    /^hooks;dur=([\d.]+), reading;dur=([\d.]+), answering;dur=([\d.]+)$/.exec(
      String(headers['server-timing']),
    ) ?? [];
  expect(Number(answering)).toBeGreaterThan(25);
  // Each moment belongs to one phase. The numbers are rounded.
  expect(Number(hooks) + Number(reading) + Number(answering)).toBeLessThan(all + 1);
  expect((await app.inject({ ...form, url: '/form', payload: 'a=b' })).headers['server-timing']).toMatch(
    /reading;/,
  );
});

test('a request that a hook refuses has only the phase of the hooks', async () => {
  const app = await serve(true);
  const { headers } = await app.inject({ url: '/slow', headers: { host: 'a b' } });
  expect(headers['server-timing']).toMatch(/^hooks;dur=[\d.]+$/);
});

test('without the flag, no response has the header', async () => {
  const app = await serve();
  expect((await app.inject('/slow')).headers).not.toHaveProperty('server-timing');
});
