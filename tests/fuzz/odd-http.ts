import { changedText, oddText } from './odd-text.ts';
import type { Random } from './random.ts';
import type { Field } from './request.ts';

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'MKCOL',
  'QUERY',
  'PURGE',
  'M-SEARCH',
  'BREW',
  'get',
  'G\tET',
  '',
  '\u00ff',
] as const;

export const oddMethod = (random: Random) => random.pick(methods);

const endings = [
  '/',
  '//',
  '/.',
  '/..',
  '/%2e%2e/%2e%2e/secrets.json',
  '/..%2f..%2fsecrets.json',
  '/%5c..%5c',
  '/%00',
  '/%',
  '/%zz',
  '/%ff',
  '/:id',
  '/*',
  '/(',
  '/[',
  ';a=b',
  '#fragment',
  '%3Fa=b',
  '\u00e9',
  '.json',
  '/__proto__',
  '/constructor',
] as const;

/** A route's path with its parameters filled in and something odd about it. */
export function oddPath(random: Random, path: string): string {
  const kind = random.next();
  if (kind < 0.3) return path + random.pick(endings);
  if (kind < 0.4) return `http://other.example${path}`;
  if (kind < 0.5)
    return path.replaceAll(/[a-z]/g, (letter) =>
      random.chance(0.3) ? `%${letter.charCodeAt(0).toString(16)}` : letter,
    );
  if (kind < 0.6) return path.replaceAll('/', random.pick(['//', '/./', '/x/../', '%2f', '\\']));
  if (kind < 0.65) return `${path}/${'x'.repeat(1 + random.below(20_000))}`;
  if (kind < 0.7) return path.toUpperCase();
  if (kind < 0.75)
    return random.pick(['*', '', '?', '://', 'auth', '//[::', '/%2e%2e', '/.git/config', '/out/../']);
  // A space would end the address and make the rest the protocol's name.
  return changedText(random, path).replaceAll(/[\s\0]/g, '+');
}

/** Fields of a query or form that programs tend to trip over. */
export function oddFields(random: Random, names: readonly string[]): Field[] {
  const kind = random.next();
  const name = () => (random.chance(0.8) ? random.pick(names) : oddText(random).slice(0, 100));
  if (kind < 0.1) return Array.from({ length: random.below(1500) }, (_, index): Field => [`p${index}`, 'x']);
  if (kind < 0.2) return Array.from({ length: random.below(500) }, (): Field => [random.pick(names), 'x']);
  if (kind < 0.4) {
    const nesting = random.pick(['[]', '[a]', '[__proto__]', '[0]', '[][]', '[a][b][c]', '[', ']', '.a']);
    return names.map((one): Field => [
      one + nesting.repeat(1 + random.below(3)),
      oddText(random).slice(0, 200),
    ]);
  }
  return Array.from({ length: 1 + random.below(8) }, (): Field => [name(), oddText(random)]);
}

const ranges = [
  'bytes=0-0',
  'bytes=0-',
  'bytes=-1',
  'bytes=-0',
  'bytes=9-1',
  'bytes=0-0,1-1,2-2',
  `bytes=${'0-1,'.repeat(500)}0-1`,
  'bytes=99999999999999999999-',
  'bytes=a-b',
  'bytes=',
  'pages=1-2',
  '\u00ff',
] as const;

const tags = ['*', '"x"', 'W/"x"', '"', 'W/', '"a", "b", W/"c"', `"${'x'.repeat(5000)}"`, ',,,'] as const;
const accepts = [
  'text/html',
  'application/json',
  'application/activity+json',
  '*/*;q=0',
  'text/html;q=nonsense',
  ',;q=x,*/*;;',
  'a/b,'.repeat(1000),
  'text/\u00ff',
] as const;
const types = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-16',
  'application/json',
  'application/json; charset=utf-7',
  'application/json; charset="',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="fuzz"; boundary=other',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'multipart/mixed; boundary=fuzz',
  'text/plain',
  'image/png',
  '///;;;=,',
  'application/json, text/plain',
  '\u00ff',
] as const;

/** One header that is unusual, wrong or hostile. */
export function oddHeader(random: Random): Field {
  const list: readonly (() => Field)[] = [
    () => ['Range', random.pick(ranges)],
    () => [random.pick(['If-None-Match', 'If-Match', 'If-Range']), random.pick(tags)],
    () => [
      random.pick(['If-Modified-Since', 'If-Unmodified-Since', 'Date']),
      random.pick(['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', '9'.repeat(100), '']),
    ],
    () => [
      random.pick(['Accept', 'Accept-Language', 'Accept-Encoding', 'Accept-Charset']),
      random.pick(accepts),
    ],
    () => ['Content-Type', random.pick(types)],
    () => ['Content-Encoding', random.pick(['gzip', 'br', 'deflate', 'identity', 'gzip, gzip', 'x'])],
    () => [
      'Content-Length',
      random.pick(['0', '-1', '+5', '0x10', '5, 5', '1e3', '99999999999999999999', ' ', 'x']),
    ],
    () => [
      'Transfer-Encoding',
      random.pick([
        'chunked',
        'Chunked',
        'chunked, chunked',
        'identity',
        'gzip, chunked',
        'x',
        '\tchunked',
        'chunked\u000b',
      ]),
    ],
    () => [
      'Host',
      random.pick(['other.example', '', '::/\\@%', '127.0.0.1', 'a, b', 'x'.repeat(2000), 'localhost:0']),
    ],
    () => ['Expect', random.pick(['100-continue', '200-ok', ''])],
    () => [
      'CF-Connecting-IP',
      random.pick(['', 'x'.repeat(46), '::', '1.2.3.4, 5.6.7.8', '\u00ff', '0', 'a Porchlight']),
    ],
    () => [
      random.pick(['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Forwarded-Host', 'X-Forwarded-Proto']),
      oddHeaderText(random),
    ],
    () => ['User-Agent', random.pick(['Porchlight/9 (fuzz)', '', 'x'.repeat(8000)])],
    () => [
      'Origin',
      random.pick(['null', '://', 'http://other.example', 'http://127.0.0.1', 'file://', 'x'.repeat(500)]),
    ],
    () => ['Sec-Fetch-Site', random.pick(['cross-site', 'same-origin', 'none', 'x'])],
    () => ['Access-Control-Request-Method', random.pick(['DELETE', 'x', '\u00ff', ''])],
    () => ['Access-Control-Request-Headers', random.pick(['authorization', ','.repeat(2000), ''])],
    () => [
      'Cookie',
      random.pick(['=; ;;; a', '__Host-porchlight=%E0%A4%A', '__proto__=x', 'a=b;'.repeat(800), '\u00ff']),
    ],
    () => [
      'Authorization',
      random.pick(['Bearer', 'Bearer ', 'bearer x', 'Basic Og==', 'Bearer a b', 'Digest x="', '\u00ff']),
    ],
    () => [
      random.pick(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']),
      random.pick(['DELETE', 'PUT']),
    ],
    () => [
      random.pick(['Connection', 'Proxy-Connection']),
      random.pick(['keep-alive', 'upgrade', 'close, host', 'x']),
    ],
    () => ['Upgrade', random.pick(['websocket', 'h2c', 'TLS/1.0'])],
    () => ['Slug', oddHeaderText(random)],
    () => [
      oddHeaderText(random)
        .replaceAll(/[^\x21-\x7e]|:/g, '-')
        .slice(0, 60) || 'X-Odd',
      oddHeaderText(random),
    ],
    () => ['X-Large', 'x'.repeat(random.below(20_000))],
  ];
  return random.pick(list)();
}

/** Framing and hop-by-hop headers change what the server takes for the request, so an answer cannot be demanded. */
export function changesFraming([name]: Field): boolean {
  return /^(content-length|transfer-encoding|expect|connection|upgrade|content-encoding)$/i.test(name);
}

/** Half of the time as it is, with control bytes; else as a header may be. */
function oddHeaderText(random: Random): string {
  const text = oddText(random).slice(0, 9000);
  return random.chance(0.5) ? text.replaceAll(/[\r\n]/g, ' ') : text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '');
}

const target = (path: string) => `POST ${path} HTTP/1.1\r\nHost: porch.example\r\n`;
const form = 'Content-Type: application/x-www-form-urlencoded\r\n';
const hidden = 'GET /api/count?target=x HTTP/1.1\r\nHost: porch.example\r\nX-Hidden: ';

/** Shapes that servers and proxies read differently (request smuggling), and what is hardly HTTP. */
export function oddBytes(random: Random, path: string): Buffer {
  const start = target(path) + form;
  const shapes: readonly (string | Buffer)[] = [
    `${start}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `${start}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n${hidden}\r\n0\r\n\r\n`,
    `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `${start}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    `${start}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
    `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    `${start}Content-Length: 3\r\n\r\ntoken=x&y=z`,
    `${start}Content-Length: 1000\r\n\r\ntoken=`,
    `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`,
    `${start}Transfer-Encoding: chunked\r\n\r\nff\r\nhello`,
    `${start}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx`,
    `${start}Transfer-Encoding: chunked\r\n\r\n5;${'x=y;'.repeat(random.below(3000))}\r\nhello\r\n0\r\n\r\n`,
    `${start}Transfer-Encoding: chunked\r\n\r\n5\r\na=b&c\r\n0\r\nTrailer: x\r\n${'X: y\r\n'.repeat(random.below(50))}\r\n`,
    `${start}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(random.below(2000))}0\r\n\r\n`,
    `${target(path)}X: a\r\n folded\r\n\r\n`,
    `${target(path)}X : a\r\n\r\n`,
    `${target(path)}${'X: y\r\n'.repeat(random.below(4000))}\r\n`,
    `GET ${path} HTTP/1.0\r\n\r\n`,
    `GET ${path} HTTP/3.7\r\nHost: x\r\n\r\n`,
    `GET ${path}\r\n\r\n`,
    `GET ${path} HTTP/1.1\nHost: x\nConnection: close\n\n`,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    `GET ${path}\0x HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: a=\0\r\n\r\n`,
    'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'CONNECT other.example:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('16030100a5010000a103', 'hex'),
    '\r\n'.repeat(random.below(200)),
    Buffer.concat([Buffer.from(`POST ${path} `), random.bytes(random.below(300)), Buffer.from('\r\n\r\n')]),
    random.bytes(random.below(600)),
  ];
  const shape = random.pick(shapes);
  return typeof shape === 'string' ? Buffer.from(shape, 'latin1') : shape;
}
