import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectError } from '../../support/answers.ts';
import { fullToken, openMicropub, type MicropubServer } from '../../support/micropub-server.ts';

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());
afterEach(() => expect(server.posts.size()).toBe(0));

const json = 'application/json';
const urlencoded = 'application/x-www-form-urlencoded';
const nested = (depth: number) => `{"properties":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;

describe('MP-34 MP-9 an invalid request gets 400, and never a Location', () => {
  test.each([
    ['malformed', '{"type":'],
    ['empty', ''],
    ['a list', '[]'],
    ['text', '"x"'],
    ['null', 'null'],
    ['nothing', '{}'],
    ['properties that are a list', '{"properties":[]}'],
    ['properties that are text', '{"type":["h-entry"],"properties":"x"}'],
    ['no properties', '{"type":["h-entry"],"properties":{}}'],
    ['commands alone', '{"properties":{"mp-slug":["x"]}}'],
    ['a type that is none', '{"type":["entry"],"properties":{"content":["x"]}}'],
    ['a type that is an object', '{"type":{},"properties":{"content":["x"]}}'],
    ['an unknown action', '{"action":"destroy","url":"https://a.example/"}'],
    ['an action that is a list', '{"action":["delete"],"url":"https://a.example/"}'],
    ['a delete without url', '{"action":"delete"}'],
    ['a url that is a number', '{"action":"delete","url":1}'],
    ['__proto__ above', '{"properties":{"content":["x"]},"__proto__":{"a":1}}'],
    ['__proto__ as a property', '{"properties":{"__proto__":["x"],"content":["x"]}}'],
    ['constructor inside a value', '{"properties":{"content":[{"a":[{"constructor":1}]}]}}'],
    ['prototype inside an update', '{"action":"update","url":"x","add":{"a":[{"prototype":1}]}}'],
    ['far too deep', nested(60)],
    ['so deep that it could run out of stack', nested(900_000)],
    [
      'ten thousand keys',
      JSON.stringify({
        properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, ['x']])),
      }),
    ],
  ])('JSON: %s', async (_name, body) => {
    const response = await server.send(body, { type: json });
    expect(response.headers.get('location')).toBeNull();
    await expectError(response, 400, 'invalid_request');
  });

  test.each([
    ['nothing', ''],
    ['only h', 'h=entry'],
    ['only commands', 'mp-slug=x&mp-channel=y'],
    ['only empty fields', 'content=&name='],
    ['h that is no name', 'h=../x&content=x'],
    ['__proto__', 'content=x&__proto__=y'],
    ['constructor as a list', 'content=x&constructor[]=y'],
    ['MP-47 an update', 'action=update&url=https://a.example/'],
    ['MP-52 an unknown action', 'action=destroy&url=https://a.example/'],
    ['two actions', 'action=delete&action=undelete&url=https://a.example/'],
    ['MP-52 a delete without url', 'action=delete'],
    ['ten thousand fields', Array.from({ length: 10_000 }, (_, n) => `p${n}=x`).join('&')],
  ])('a form: %s', async (_name, body) => {
    await expectError(await server.send(body, { type: urlencoded }), 400, 'invalid_request');
  });

  const boundary = 'multipart/form-data; boundary=b';
  const part = (name: string, value: string, more = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

  test.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    ['that breaks off', boundary, part('content', 'x')],
    ['__proto__', boundary, `${part('content', 'x')}${part('__proto__', 'x')}--b--\r\n`],
    [
      'a part that says it is JSON',
      boundary,
      `${part('content', '{"a":1}').replace('\r\n\r\n', '\r\ncontent-type: application/json\r\n\r\n')}--b--\r\n`,
    ],
  ])('multipart: %s', async (_name, type, body) => {
    const response = await server.send(body, { type });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  test.each([
    ['JSON', json, `{"properties":{"content":["${'x'.repeat(2_100_000)}"]}}`],
    ['a form', urlencoded, `content=${'x'.repeat(2_100_000)}`],
    ['multipart', boundary, `${part('content', 'x'.repeat(2_100_000))}--b--\r\n`],
    ['multipart in pieces', boundary, `${part('a[]', 'x'.repeat(900_000)).repeat(3)}--b--\r\n`],
    // 0.9 million characters, but 2.7 MB.
    ['multipart in pieces of Japanese', boundary, `${part('a[]', 'あ'.repeat(300_000)).repeat(3)}--b--\r\n`],
  ])('a body of more than 2 MB of %s gets 413', async (_name, type, body) => {
    await expectError(await server.send(body, { type }), 413, 'invalid_request');
  });

  test('another kind of body: 415', async () => {
    await expectError(await server.send('content', { type: 'text/plain' }), 415, 'invalid_request');
  });

  test('another method: 405', async () => {
    const response = await fetch(server.endpoint, {
      method: 'PUT',
      headers: { authorization: `Bearer ${fullToken}` },
    });
    expect(response.status).toBe(405);
  });
});

test('MP-7 a preflight needs no token', async () => {
  const response = await fetch(server.endpoint, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://client.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    },
  });
  expect(response.ok).toBe(true);
  expect(response.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type/i);
});
