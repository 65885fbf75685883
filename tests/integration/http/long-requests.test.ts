import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRequest } from '../../support/raw-request.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let house: Porchlight;
beforeAll(async () => {
  house = await startPorchlight();
});
afterAll(() => house.remove());

const ask = (target: string, headers = '') =>
  rawRequest(house.base, `GET ${target} HTTP/1.1\r\nHost: ${new URL(house.base).host}\r\n${headers}\r\n`);

test.each([
  ['search', `/search?q=${'a'.repeat(17_000)}`],
  ['search that is much longer', `/search?q=${'a'.repeat(500_000)}`],
  ['page', `/posts/${'a'.repeat(17_000)}`],
])('a visitor whose %s is over 16 KB gets an error page of this server', async (_what, target) => {
  const answer = await ask(target, 'Accept: text/html\r\n');
  expect(answer.statuses).toEqual([431]);
  expect(answer.head).toContain('\r\ncontent-type: text/html; charset=utf-8');
  expect(answer.head).toContain("content-security-policy: default-src 'none'; style-src 'sha256-");
  for (const line of [
    'x-content-type-options: nosniff',
    'referrer-policy: no-referrer',
    'cache-control: no-store',
  ])
    expect(answer.head).toContain(`\r\n${line}`);
  expect(answer.body).toContain('<h1>That didn');
  expect(answer.body).toMatch(/<\/html>\n$/);
  expect(answer.body).not.toContain('aaaa');
});

test('a search of up to 16 KB gets the search page, which names its limit', async () => {
  const answer = await fetch(`${house.base}/search?q=${'a'.repeat(15_000)}`, {
    headers: { accept: 'text/html' },
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('This search is too long.');
});

test('so does a visitor with too many headers; a request that is no HTTP gets JSON', async () => {
  const many = await ask('/', `Cookie: ${'a'.repeat(20_000)}\r\n`);
  expect([many.statuses, many.body.includes('<h1>That didn')]).toEqual([[431], true]);
  const none = await rawRequest(house.base, 'NOT HTTP AT ALL\r\n\r\n');
  expect(none.statuses).toEqual([400]);
  expect(JSON.parse(none.body)).toMatchObject({ error: 'invalid_request' });
});

test('a client that keeps sending after its error is disconnected', async () => {
  const { hostname, port } = new URL(house.base);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  const timer = setInterval(() => socket.write('a'.repeat(20_000)), 50);
  await closed;
  clearInterval(timer);
});
