import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { FetchError, createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { createOwnNetworks } from '../../../src-main/platform/guarded-connector.ts';

const asked: string[] = [];
const fetch = createGuardedFetch({
  allowPrivate: false,
  userAgent: 'test',
  ownNetworks: createOwnNetworks({
    learnt: () => ['8.8.4.4'],
    readInterfaces: () => ({
      eth0: [
        {
          address: '93.184.215.14',
          netmask: '255.255.255.0',
          cidr: '93.184.215.14/24',
          family: 'IPv4',
          mac: '',
          internal: false,
        },
      ],
    }),
  }),
  lookup: (name) => {
    asked.push(name);
    return Promise.reject(new Error('nothing here may need DNS'));
  },
});
afterAll(() => fetch.close());

type Octets = [number, number, number, number];
const octet = fc.nat(255);

/** Every IPv4 range that must not be reached, and the networks of this computer. */
const privateAddress: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  fc.tuple(fc.constant(93), fc.constant(184), fc.constant(215), octet),
  fc.constant<Octets>([8, 8, 4, 4]),
);

const numeral = fc.record({
  base: fc.constantFrom('decimal', 'octal', 'hex', 'HEX'),
  zeros: fc.nat(4),
});

function spell(value: number, { base, zeros }: { base: string; zeros: number }): string {
  const padding = '0'.repeat(zeros);
  if (base === 'decimal') return String(value);
  if (base === 'octal') return `0${padding}${value.toString(8)}`;
  return base === 'hex'
    ? `0x${padding}${value.toString(16)}`
    : `0X${padding}${value.toString(16).toUpperCase()}`;
}

/** The four octets in `count` parts, of which the last takes what is left: 127.0.0.1, 127.0.1, 127.1, 2130706433. */
function parts([a, b, c, d]: Octets, count: number): number[] {
  const rest = [((a * 256 + b) * 256 + c) * 256 + d, (b * 256 + c) * 256 + d, c * 256 + d, d];
  return [...[a, b, c].slice(0, count - 1), rest[count - 1]!];
}

const dotted = fc
  .record({
    address: privateAddress,
    count: fc.integer({ min: 1, max: 4 }),
    numerals: fc.array(numeral, { minLength: 4, maxLength: 4 }),
    dot: fc.constantFrom('.', '。', '．', '｡', '%2e'),
    trailing: fc.constantFrom('', '.'),
  })
  .map(({ address, count, numerals, dot, trailing }) => {
    const spelt = parts(address, count).map((part, index) => spell(part, numerals[index]!));
    return spelt.join(dot) + trailing;
  });

/** The same text in characters that a URL parser takes for it: full-width digits, percent-encoding. */
const disguised = fc
  .record({ host: dotted, how: fc.constantFrom('plain', 'full-width', 'percent') })
  .map(({ host, how }) => {
    if (how === 'full-width')
      return host.replace(/(?<!%)\d(?!e)/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    if (how === 'percent') return host.replace(/(?<!%)\d(?!e)/g, (digit) => `%3${digit}`);
    return host;
  });

const inIPv6 = fc
  .record({
    address: privateAddress,
    prefix: fc.constantFrom('::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '::ffff:0:', '0:0:0:0:0:ffff:'),
    hex: fc.boolean(),
    zone: fc.constantFrom('', '', '', '%25eth0', '%eth0'),
  })
  .map(({ address: [a, b, c, d], prefix, hex, zone }) => {
    const embedded = hex
      ? `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
      : [a, b, c, d].join('.');
    return `[${prefix}${embedded}${zone}]`;
  });

const tunnelled = privateAddress.map(
  ([a, b, c, d]) => `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
);

const url = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'HTTP'),
    slashes: fc.constantFrom('//', '/', '', '\\\\', '///'),
    user: fc.constantFrom('', '', '', 'example.com@', 'a:b@'),
    host: fc.oneof(disguised, inIPv6, tunnelled),
    port: fc.constantFrom('', ':80', ':8080', ':0443'),
    path: fc.constantFrom('', '/', '/latest/meta-data?x#y'),
  })
  .map(({ scheme, slashes, user, host, port, path }) => `${scheme}:${slashes}${user}${host}${port}${path}`);

test('no spelling of a private address is accepted, or even looked up in DNS', async () => {
  await fc.assert(
    fc.asyncProperty(url, async (spelling) => {
      const error: unknown = await fetch(spelling, { timeoutMs: 1_000 }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(FetchError);
      expect(['fetch_refused_address', 'fetch_bad_url']).toContain((error as FetchError).code);
      expect(asked).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('the spellings above are read as addresses, most of them: the property is not empty', async () => {
  const codes = await Promise.all(
    fc
      .sample(url, 200)
      .map((spelling) => fetch(spelling).catch((error: unknown) => (error as FetchError).code)),
  );
  expect(codes.filter((code) => code === 'fetch_refused_address').length).toBeGreaterThan(60);
});

test.each([
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0X7F.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://127。0。0。1/',
  'http://①②⑦.0.0.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[::]/',
  'http://[::1]/',
  'http://0/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://anything.localhost/',
  'http://169.254.169.254/latest/meta-data/',
])('%s is refused without asking DNS', async (spelling) => {
  await expect(fetch(spelling)).rejects.toMatchObject({ code: 'fetch_refused_address' });
  expect(asked).toEqual([]);
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/html,hello',
  'javascript:alert(1)',
  'gopher://example.com/',
  'http://',
  'example.com',
  '',
  'http://user@example.com/',
  'http://user:pass@example.com/',
  'http://:pass@example.com/',
  'http://[fe80::1%25eth0]/',
  'http://example.com:99999/',
])('%s is no address to fetch', async (spelling) => {
  await expect(fetch(spelling)).rejects.toMatchObject({ code: 'fetch_bad_url', status: 400 });
});
