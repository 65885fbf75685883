import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  expectJsonError,
  form,
  isPage,
  openSiege,
  routes,
  written,
  type Siege,
} from '../../support/siege.ts';

let siege: Siege;
beforeAll(async () => void (siege = await openSiege()));
afterAll(() => siege.close());

const json = ['content-type: application/json'];
const many = (field: string, count: number) => new Array(count).fill(field).join('&');
const long = 'x'.repeat(60_000);
const multipart = '--b\r\ncontent-disposition: form-data; name="code"\r\n\r\nx\r\n--b--\r\n';

/** Bodies that are not what an endpoint expects. */
const bodies: [string, string[], Uint8Array | string][] = [
  [
    'a parameter of 60 KB',
    form,
    `grant_type=authorization_code&code=${long}&client_id=x&redirect_uri=x&token=x`,
  ],
  ['a grant_type of 60 KB', form, `grant_type=${long}`],
  ['a token of 60 KB', form, `token=${long}&request=${long}&proof=${long}`],
  ['more than it takes', form, `grant_type=${long}${long}`],
  ['a thousand repeats', form, many('grant_type=authorization_code&code=x&token=x&request=x&proof=x', 1000)],
  ['a thousand names', form, Array.from({ length: 1000 }, (_, index) => `p${index}=x`).join('&')],
  ['percent garbage', form, 'grant_type=%&code=%zz&token=%ff%fe&request=%C3%28&proof=%00&%%%=%'],
  [
    'names of every object',
    form,
    '__proto__=x&constructor=x&__proto__[token]=x&toString=1&hasOwnProperty=1&token=x',
  ],
  ['brackets', form, 'token[]=x&grant_type[a][b]=x&request[0]=x&proof[]=y&code%5B%5D=z'],
  ['separators only', form, '&&&===&;;&=&'],
  ['bytes that are no text', form, Buffer.from([0, 255, 254, 195, 40, 0, 61, 38, 128])],
  [
    'a form in another alphabet',
    ['content-type: application/x-www-form-urlencoded; charset=utf-16'],
    'token=x',
  ],
  ['JSON', json, '{"grant_type":"authorization_code","code":"x","token":"x","request":"x"}'],
  ['JSON that breaks off', json, '{"grant_type":'],
  ['JSON of a dangerous key', json, '{"__proto__":{"token":"x"}}'],
  ['JSON that is no object', json, 'null'],
  ['multipart', ['content-type: multipart/form-data; boundary=b'], multipart],
  ['multipart that breaks off', ['content-type: multipart/form-data; boundary=b'], multipart.slice(0, 40)],
  ['multipart without a boundary', ['content-type: multipart/form-data'], multipart],
  ['text', ['content-type: text/plain'], 'token=x'],
  ['an unknown type', ['content-type: application/x-unknown'], 'token=x'],
  ['a type that is none', ['content-type: ///;;;=,'], 'token=x'],
  ['two types', [...form, ...json], 'token=x'],
  ['no type', [], 'token=x'],
  ['a form in gzip', [...form, 'content-encoding: gzip'], gzipSync('token=x&grant_type=refresh_token')],
  ['gzip that is none', [...form, 'content-encoding: gzip'], 'token=x'],
];

describe.each(routes)('%s', (target) => {
  test.each(bodies)('takes no harm from a body of %s', async (_name, headers, body) => {
    for (const authorization of ['x: y', `authorization: Bearer ${siege.tokens.access_token}`]) {
      const answer = await siege.send(written('POST', target, [...headers, authorization], body));
      if (!isPage('POST', target)) expectJsonError(answer);
    }
  });

  test('takes no harm from an unusual method', async () => {
    for (const method of 'HEAD PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY BREW get'.split(' '))
      expectJsonError(await siege.send(written(method, target, form, 'token=x')));
  });

  test('an endpoint answers unusual headers without an error', async () => {
    const headers = [
      'authorization: Bearer',
      'authorization: Bearer \u00e9\u00ff',
      'authorization: Basic Og==',
      'cookie: __Host-porchlight=%E0%A4%A; =; ;;; a',
      'cookie: __Host-porchlight=\u00ff; __proto__=x; constructor=y',
      `cookie: ${many('a=b;', 1000)}`,
      'origin: null',
      'origin: ://',
      'access-control-request-method: \u00ff',
      'accept: ,;q=x,*/*;;',
      'cf-connecting-ip: ',
      `cf-connecting-ip: ${'x'.repeat(5000)}`,
      'cf-connecting-ip: __proto__',
      'x-forwarded-for: ;;;',
      'range: bytes=9-1',
      'if-none-match: "',
      `x-large: ${'x'.repeat(15_000)}`,
      `x-huge: ${'x'.repeat(100_000)}`,
    ];
    for (const header of headers)
      for (const method of ['GET', 'POST']) await siege.send(written(method, target, [header]));
  });

  test('takes no harm from headers that are false about the request', async () => {
    const headers = [
      'expect: 100-continue',
      'expect: the-unexpected',
      'upgrade: websocket',
      'connection: upgrade',
      'transfer-encoding: nonsense',
      'content-length: -1',
      'content-length: x',
      'content-length: 99999999999999999999',
    ];
    for (const header of headers)
      for (const method of ['GET', 'POST']) await siege.sendAndHangUp(written(method, target, [header]));
  });

  test('takes no harm from an unusual query or path', async () => {
    const { parameters } = siege.scene.request();
    const good = new URLSearchParams(parameters as Record<string, string>).toString();
    const endings = [
      '?%',
      '?%ff%fe=%c3%28',
      '?a=%00',
      '?__proto__=x&constructor[prototype]=y&toString',
      '?????&&&===',
      `?${good}&client_id=http://127.0.0.1:1/`,
      `?${good.replace('client_id=', 'client_id=%00')}`,
      `?${good.replace('redirect_uri=', 'redirect_uri=%ff')}`,
      `?${many('scope=x', 1000)}`,
      `?state=${'x'.repeat(10_000)}`,
      `?state=${long}`,
      '/%',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/%00',
      '/%ff',
      '/../..',
      '//',
      '/:id',
      '/*',
      '/*a',
      '/:a(b)',
      '/(',
      '/[',
      `/${'x'.repeat(1000)}`,
      '#fragment',
      '\u00e9',
      ';a=b',
      '\\..\\',
    ];
    for (const ending of endings)
      for (const method of ['GET', 'POST', 'DELETE']) await siege.send(written(method, target + ending, []));
  });
});

describe('a request that is hardly HTTP', () => {
  const start = 'POST /token HTTP/1.1\r\nhost: x\r\n';
  const typed = `${start}${form[0] ?? ''}\r\n`;

  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['empty lines', '\r\n\r\n\r\n\r\n'],
    ['a word', 'hello\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['HTTP/1.0', 'GET /auth HTTP/1.0\r\n\r\n'],
    ['HTTP/3.7', 'GET / HTTP/3.7\r\nhost: x\r\n\r\n'],
    ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the start of TLS', Buffer.from('16030100a5010000a103', 'hex')],
    ['random bytes', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256))],
    ['a request that breaks off', 'GET /auth HTTP/1.1\r\nhost'],
    ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n'],
    ['a host that is none', 'GET /auth HTTP/1.1\r\nhost: ::/\\@%\r\nconnection: close\r\n\r\n'],
    ['bare line feeds', 'GET / HTTP/1.1\nhost: x\nconnection: close\n\n'],
    ['NUL in the path', 'GET /au\0th HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['NUL in a header', 'GET /auth HTTP/1.1\r\nhost: x\r\ncookie: a=\0\r\n\r\n'],
    ['a space in a header’s name', 'GET / HTTP/1.1\r\nhost : x\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nhost: x\r\nx: a\r\n b\r\nconnection: close\r\n\r\n'],
    ['a whole address', 'GET http://other.example/auth?x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['an address that is none', 'GET ://[:: HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['a path without a slash', 'GET auth HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['CONNECT', 'CONNECT other.example:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['an upgrade', 'GET /auth HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'],
    [
      'a thousand headers',
      `GET / HTTP/1.1\r\nhost: x\r\n${'x: y\r\n'.repeat(3000)}connection: close\r\n\r\n`,
    ],
    ['a body that breaks off', `${typed}content-length: 1000\r\n\r\ngrant_type=author`],
    [
      'a body that is longer than it says',
      `${typed}connection: close\r\ncontent-length: 3\r\n\r\ntoken=x&y=z`,
    ],
    ['chunks that are none', `${typed}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n`],
    ['chunks that break off', `${typed}transfer-encoding: chunked\r\n\r\nff\r\nhello`],
    ['a chunk of unlikely size', `${typed}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nx`],
    ['a length and chunks', `${typed}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${typed}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`],
    ['chunked twice', `${typed}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['a hundred requests at once', 'GET /token HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100)],
  ])('%s', async (_name, bytes) => siege.sendAndHangUp(bytes));
});
