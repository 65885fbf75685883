import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nonceHeader, proofHeader, signatureHeader } from '../../../src-main/platform/mailbox-protocol.ts';
import { proofOf } from '../../support/edge-client.ts';
import { edgeScene, nonceOf, type EdgeScene } from '../../support/edge-scene.ts';

let scene: EdgeScene;
beforeEach(async () => {
  scene = await edgeScene();
});
afterEach(() => scene.stop());

/** Makes a request whose answer nothing decodes, and whose method may have a body. */
function raw(
  url: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, options, resolve).on('error', reject).end(body);
  });
}

test('an answer of the server arrives unchanged, without its proof', async () => {
  scene.answerWith((_request, response) => {
    response.writeHead(201, 'Created', [
      proofHeader,
      proofOf(nonceOf(_request), scene.keys.proofKey)[proofHeader] ?? '',
      'set-cookie',
      'a=1; Path=/',
      'set-cookie',
      'b=2; Path=/',
      'content-type',
      'application/x-odd',
      'x-own',
      'ä',
    ]);
    response.end(Buffer.from([0, 255, 1, 254]));
  });
  const response = await raw(`${scene.url}/a%20b?c=%2F&d`);
  expect(response.statusCode).toBe(201);
  expect(response.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; Path=/']);
  expect(response.headers['content-type']).toBe('application/x-odd');
  expect(response.headers[proofHeader]).toBeUndefined();
  expect(await buffer(response)).toEqual(Buffer.from([0, 255, 1, 254]));
  expect(scene.requests.at(-1)?.url).toBe('/a%20b?c=%2F&d');
});

test('a compressed answer stays compressed', async () => {
  const body = gzipSync(randomBytes(10_000));
  scene.answerWith((_request, response) => {
    response.setHeader('content-encoding', 'gzip').setHeader('content-type', 'text/plain').end(body);
  });
  const response = await raw(scene.url, { headers: { 'accept-encoding': 'gzip' } });
  expect(response.headers['content-encoding']).toBe('gzip');
  expect(await buffer(response)).toEqual(body);
});

test.each([
  ['GET', 204],
  ['GET', 304],
  ['GET', 404],
  ['GET', 500],
  ['GET', 503],
  ['HEAD', 200],
  ['DELETE', 200],
  ['PUT', 405],
])('%s with status %i passes', async (method, status) => {
  scene.answerWith((_request, response) => {
    response.setHeader('x-own', 'yes').writeHead(status).end();
  });
  const response = await raw(scene.url, { method });
  expect([response.statusCode, response.headers['x-own']]).toEqual([status, 'yes']);
  expect(scene.requests.at(-1)?.method).toBe(method);
});

test.each([
  ['GET', { 'content-length': '0' }, ''],
  ['GET', { 'transfer-encoding': 'chunked' }, ''],
  ['GET', { 'content-length': '1' }, 'x'],
  ['HEAD', { 'content-length': '0' }, ''],
])('%s with %j passes without its body', async (method, headers: Record<string, string>, body) => {
  const response = await raw(`${scene.url}/here`, { method, headers, body });
  expect(response.statusCode).toBe(200);
  expect((await buffer(response)).toString()).toBe(method === 'GET' ? 'hello /here' : '');
  const [passed] = scene.requests.slice(-1);
  expect(passed?.url).toBe('/here');
  expect([passed?.headers['content-length'], passed?.headers['transfer-encoding']]).toEqual([
    undefined,
    undefined,
  ]);
});

test('the answer to HEAD keeps the length of the page', async () => {
  scene.answerWith((_request, response) => response.setHeader('content-length', '12345').end());
  const response = await raw(scene.url, { method: 'HEAD' });
  expect(response.headers['content-length']).toBe('12345');
});

test('a redirect is passed back, not followed', async () => {
  scene.answerWith((_request, response) =>
    response.writeHead(302, { location: 'https://elsewhere.test/' }).end(),
  );
  const response = await scene.get('/');
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://elsewhere.test/']);
});

test('an upload of 5 MB arrives unchanged and with its length', async () => {
  const body = randomBytes(5_000_000);
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  scene.answerWith((request, response) => void buffer(request).then((all) => response.end(sha256(all))));
  const response = await fetch(`${scene.url}/media`, { method: 'POST', body });
  expect(await response.text()).toBe(sha256(body));
  expect(scene.requests.at(-1)?.headers['content-length']).toBe('5000000');
});

test('an answer is passed on while it is still being written', async () => {
  let finish = () => {};
  scene.answerWith((_request, response) => {
    response.write('first');
    finish = () => response.end(' last');
  });
  const response = await scene.get('/');
  const reader = response.body!.getReader();
  const first = await reader.read();
  finish();
  const last = await reader.read();
  expect(Buffer.concat([first.value!, last.value!]).toString()).toBe('first last');
});

test('headers of the visitor arrive, except those between the server and the mailbox', async () => {
  const headers = { authorization: 'Bearer x', [nonceHeader]: 'mine', [signatureHeader]: 'mine' };
  await scene.get('/', headers);
  await scene.get('/', headers);
  const [first, second] = scene.requests.slice(-2);
  expect(first?.headers['authorization']).toBe('Bearer x');
  expect(first?.headers[signatureHeader]).toBeUndefined();
  expect(first?.headers[nonceHeader]).not.toBe('mine');
  expect(first?.headers[nonceHeader]).not.toBe(second?.headers[nonceHeader]);
  expect(first?.headers['host']).toBe(new URL(scene.url).host);
});

test('the server learns the address of a visitor from Cloudflare, not from the visitor', async () => {
  const claimed = { 'x-real-ip': '198.51.100.9' };
  await scene.get('/', { ...claimed, 'cf-connecting-ip': '192.0.2.1' });
  await scene.get('/', claimed);
  const addresses = scene.requests.slice(-2).map(({ headers }) => headers['x-real-ip']);
  expect(addresses).toEqual(['192.0.2.1', undefined]);
});

test.each([
  ['no proof', () => ({})],
  ['the proof of another key', (nonce: string) => proofOf(nonce, 'A'.repeat(43))],
  ['the proof of another request', () => proofOf('another', scene.keys.proofKey)],
  ['a proof that is none', () => ({ [proofHeader]: 'yes' })],
])('an answer with %s is not the server’s', async (_name, proof) => {
  scene.answerWith((request, response) => {
    response.removeHeader(proofHeader);
    response.writeHead(200, proof(nonceOf(request))).end('impostor');
  });
  const response = await scene.get('/');
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain('impostor');
});

test('an answer is the server’s if one of its proofs is', async () => {
  scene.answerWith((request, response) => {
    const former = proofOf(nonceOf(request), scene.keys.proofKey)[proofHeader] ?? '';
    const current = proofOf(nonceOf(request), 'A'.repeat(43))[proofHeader] ?? '';
    response.setHeader(proofHeader, `${current}, ${former}`);
    response.writeHead(404).end('from the server');
  });
  const response = await scene.get('/');
  expect([response.status, await response.text()]).toEqual([404, 'from the server']);
  expect(response.headers.has(proofHeader)).toBe(false);
});

describe('while the server has other keys', () => {
  beforeEach(() => {
    scene.answerWith((request, response) => {
      response.setHeader(proofHeader, proofOf(nonceOf(request), 'A'.repeat(43))[proofHeader] ?? '');
      response.statusCode = Number(/status=(\d+)$/.exec(request.url ?? '')?.[1] ?? 200);
      response.end('done');
    });
  });

  test.each([200, 201, 202, 302])(
    'a request that it has carried out isn’t answered as if it had failed (%i), so that no app repeats it',
    async (status) => {
      const response = await fetch(`${scene.url}/micropub?status=${status}`, {
        method: 'POST',
        redirect: 'manual',
      });
      expect([response.status, await response.text()]).toEqual([status, 'done']);
      expect(response.headers.has(proofHeader)).toBe(false);
    },
  );

  test.each([400, 404, 500, 502])(
    'a request that may have failed is answered with 503 (%i)',
    async (status) => {
      expect((await fetch(`${scene.url}/token?status=${status}`, { method: 'POST' })).status).toBe(503);
    },
  );

  test('a mention is kept all the same, because nothing proves that the server received it', async () => {
    const form = { source: 'https://bea.example/', target: 'https://home.test/' };
    const response = await scene.post('/webmention?status=201', form);
    expect(response.status).toBe(202);
    expect(await scene.client.call('state', {})).toMatchObject({ kept: 1 });
  });
});

test('a clock that is an hour off does not matter to a proof', async () => {
  scene.answerWith((request, response) => {
    response.removeHeader(proofHeader);
    response
      .writeHead(200, proofOf(nonceOf(request), scene.keys.proofKey, Date.now() - 3_600_000))
      .end('late');
  });
  expect(await (await scene.get('/')).text()).toBe('late');
});
