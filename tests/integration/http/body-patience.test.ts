import { connect } from 'node:net';
import type { FastifyPluginCallback, onRequestHookHandler } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { listeningPort } from '../../../src-main/http/listener.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { limitOf } from '../../support/patience.ts';

const routes: FastifyPluginCallback = (app, _options, done) => {
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, parsed) =>
    parsed(null, body),
  );
  app.post('/form', ({ body }) => ({ got: body }));
  app.post('/upload', { config: { upload: true } }, ({ body }) => ({ got: body }));
  const onRequest: onRequestHookHandler = (_request, reply) => void reply.code(401).send();
  app.post('/refused', { config: { upload: true }, onRequest }, () => 'never');
  done();
};

async function serve(bodyMs: number, silenceMs: number): Promise<string> {
  const patience = { bodyMs, silenceMs, totalMs: 120_000 };
  const app = await buildPublicApp({
    log: silentLog,
    features: [routes],
    closing: () => undefined,
    patience,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return `http://127.0.0.1:${listeningPort(app)}`;
}

const head = (path: string, length: number, connection = 'close') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: ${connection}\r\n\r\n`;

/** Sends a byte at a time, as a slow line does, and answers what came back. */
function slowly(base: string, path: string, bytes: number, connection?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(base).port) });
    let answer = '';
    let sent = 0;
    socket.write(head(path, bytes, connection));
    const timer = setInterval(() => (sent++ < bytes ? socket.write('x') : clearInterval(timer)), 10);
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

test('a body that stops arriving ends its request, on every route', async () => {
  const base = await serve(100, 100);
  for (const path of ['/form', '/upload']) {
    const { statuses, silent } = await rawRequest(base, `${head(path, 100)}half`);
    expect([statuses, silent], path).toEqual([[408], false]);
  }
});

test('a slow body is taken where uploads are, and nowhere else', async () => {
  const base = await serve(100, 10_000);
  expect(await slowly(base, '/upload', 30)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await slowly(base, '/form', 3000)).toMatch(/^HTTP\/1\.1 408 /);
});

test('bytes that a sender sends after its answer are not read forever', async () => {
  const base = await serve(100, 10_000);
  expect(await slowly(base, '/refused', 3000, 'keep-alive')).toMatch(/^HTTP\/1\.1 401 /);
});

test.each([
  ['a sender that hangs up', '/form', 100, 'half'],
  ['an upload whose sender hangs up', '/upload', 100, 'half'],
  ['a refused upload whose sender hangs up', '/refused', 100, 'half'],
  ['a request that came whole', '/form', 4, 'half'],
])('%s leaves no timer behind', async (_name, path, length, body) => {
  const base = await serve(60_000, 60_000);
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  for (let count = 0; count < 10; count += 1) {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(base).port) });
    socket.on('error', () => undefined);
    socket.write(head(path, length, 'keep-alive') + body);
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
  }
  await expect.poll(timers, { timeout: limitOf(5000) }).toBeLessThan(before + 5);
});
