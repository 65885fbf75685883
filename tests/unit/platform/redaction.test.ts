import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createLog } from '../../../src-main/platform/log.ts';
import { limitOf } from '../../support/patience.ts';

/** The one line of the log that `say` writes. */
function lineOf(say: (log: ReturnType<typeof createLog>) => void): string {
  let line = '';
  say(createLog({ level: 'info' }, { write: (text) => void (line = text) }));
  return line;
}

const said = (text: string) => (JSON.parse(lineOf((log) => log.info(text))) as { msg: string }).msg;

/** Names of secrets that mean nothing else. */
const clear = [
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'csrf_token',
  'apiToken',
  'managementToken',
  'code_verifier',
  'client_secret',
  'secret',
  'password',
  'passphrase',
  'passwd',
  'ownerKey',
  'api_key',
];
/** Names that are ordinary words too: a secret in an address, and where the value looks like one. */
const ambiguous = ['code', 'key', 'state', 'proof'];
const names = [...clear, ...ambiguous];

/** As this program and others make them: 24 letters and digits at least. */
const secretText = fc
  .stringMatching(/^[A-Za-z0-9_-]{24,60}$/)
  .filter((text) => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text));
const anyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((up) =>
      Array.from(name, (letter, at) => (up[at] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    );
const name = fc.constantFrom(...names).chain(anyCase);
const encoded = (text: string, times: number): string =>
  times === 0 ? text : encoded(encodeURIComponent(text), times - 1);
/** Percent-encodes every character, which decodes to the same. */
const allEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

describe('a secret is left out of the log', () => {
  test('in an address: query, fragment and form, in any case', () => {
    fc.assert(
      fc.property(
        name,
        secretText,
        fc.constantFrom('?', '#', '&', '?a=1&', '#/x?', ';'),
        (key, secret, before) => {
          const text = said(`GET https://a.example/p${before}${key}=${secret}&page=2 failed`);
          expect(text).not.toContain(secret);
          expect(text).toContain('&page=2 failed');
        },
      ),
    );
  });

  test('in an address inside an address, however often it is percent-encoded', () => {
    fc.assert(
      fc.property(name, secretText, fc.integer({ min: 1, max: 3 }), (key, secret, times) => {
        const inner = encoded(`https://a.example/?${key}=${secret}&b=c`, times);
        expect(said(`GET /auth?client_id=x&redirect_uri=${inner}&page=2`)).not.toContain(secret);
        expect(said(`was sent to ${inner} twice`)).not.toContain(secret);
      }),
    );
  });

  test('where its name is percent-encoded', () => {
    fc.assert(
      fc.property(name, secretText, (key, secret) => {
        expect(said(`GET /x?${allEncoded(key)}=${secret}`)).not.toContain(secret);
      }),
    );
  });

  test('without a name, however the text around it is encoded', () => {
    fc.assert(
      fc.property(secretText, fc.integer({ min: 0, max: 8 }), (secret, times) => {
        expect(said(`went to ${encoded(`https://a.example/?x=${secret}&b=c`, times)}`)).not.toContain(secret);
      }),
    );
  });

  test('whole, also if it is percent-encoded itself', () => {
    expect(said('POST ?password=first%26second%20third')).toBe('POST ?password=[redacted]');
    expect(said('/?next=%3Fpassword%3Dfirst%2526second')).not.toContain('second');
  });

  test('in JSON and in what util.inspect makes of an object, nested and escaped', () => {
    fc.assert(
      fc.property(name, secretText, fc.integer({ min: 0, max: 3 }), (key, secret, depth) => {
        let json = JSON.stringify({ [key]: secret, kept: 'word' });
        for (let at = 0; at < depth; at += 1) json = JSON.stringify({ body: json });
        const text = said(`answered ${json} at once`);
        expect(text).not.toContain(secret);
        expect(text).toContain('word');
        expect(said(`{ ${key}: '${secret}', kept: 'word' }`)).not.toContain(secret);
      }),
    );
  });

  test.each([
    'Authorization: Bearer SECRET',
    'authorization: Basic SECRET',
    'Authorization: DPoP SECRET',
    'AUTHORIZATION:SECRET',
    'Cookie: __Host-browser=SECRET; b=SECRET',
    'set-cookie: a=1; b=SECRET',
    'Proxy-Authorization: Basic SECRET',
    'x-api-key: SECRET',
    '{"authorization":"Token SECRET"}',
    "headers: { cookie: 'a=SECRET; b=SECRET' }",
    'got bearer SECRET from it',
    String.raw`{"body":"{\"text\":\"line\\\ntoken=SECRET\"}"}`,
    'https://ann:SECRET@a.example/',
    'password: SECRET',
    'passphrase="SECRET"',
    "token='SECRET'",
    'code=SECRET',
    'state=SECRET',
    'the ownerKey = SECRET',
    'Your window: http://127.0.0.1:4181/#key=SECRET',
    'Your window: http://127.0.0.1:4181/#KEY=SECRET',
    'a JWT: eyJhbGciOiJFZERTQSJ9.eyJSECRET.SECRET',
  ])('in the text %s, and in the message of an error', (shape) => {
    const secret = 'hQ7xk2mPz8Rt4vWb9Nc3Ld';
    const text = shape.replaceAll('SECRET', secret);
    expect(said(text)).not.toContain(secret);
    expect(said(`first line\n${text}\nlast line`)).not.toContain(secret);
    expect(said(`first line\n${text}\nlast line`)).toContain('last line');
    const cause = new Error(`inner: ${text}`);
    const error = new PorchlightError('fetch_failed', `outer: ${text}`, 400, { cause });
    expect(lineOf((log) => log.error({ err: error, list: [{ text }] }, text))).not.toContain(secret);
    const several = new AggregateError([cause], text);
    expect(lineOf((log) => log.error({ err: several }, text))).not.toContain(secret);
  });

  test('as a property of any depth, in any spelling, and as the name of a property', () => {
    fc.assert(
      fc.property(name, secretText, fc.integer({ min: 0, max: 3 }), (key, secret, depth) => {
        let value: unknown = { [key]: secret, [`/?${key}=${secret}`]: 1, [`x-${key}`]: 0 };
        for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? [value] : { in: value };
        expect(lineOf((log) => log.info({ value }))).not.toContain(secret);
      }),
    );
  });
});

describe('ordinary words stay in the log', () => {
  test.each([
    'monkey=banana turkey=x hockey=y',
    'status code=404',
    'status code: 404, exit code=1',
    'error code=ECONNREFUSED, code: ERR_HTTP2_STREAM_ERROR',
    "{ code: 'ERR_INVALID_ARG_TYPE', state: 'reconnecting' }",
    '{"error":{"code":"invalid_request","key":"settings"}}',
    'state=connected proof=none key=name',
    'tunnel: state: reconnecting',
    'Unexpected token } in JSON at position 3',
    'Unexpected token: expected a comma',
    'token: null, password: undefined',
    'GET /posts?postcode=1234&keyword=b&tokens=3&statement=x&codec=y',
    'https://a.example/?page=2#key',
    '100% of %zz, and 50%25 off',
    'GET /caf%C3%A9?tag=b%26w',
    'https://a.example:8080/x@y',
    'a bearer of news, basic needs',
    'the key is here; the code is not',
    'GET /2026/My-Photos-of-the-Lighthouse-2026',
    'at Object.processManyRequestsThatWaitForAnAnswer (file.js:1:2)',
  ])('%s', (text) => {
    expect(said(text)).toBe(text);
  });

  test('any text without a mark of a secret', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !/[=:%]|bearer|eyJ/i.test(text)),
        (text) => {
          expect(said(text)).toBe(Buffer.from(text).toString());
        },
      ),
    );
  });

  test('and every line is whole JSON, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        name,
        fc.constantFrom('=', ':', '="', "':'", '%3D', '\\":\\"'),
        (text, key, sign) => {
          JSON.parse(lineOf((log) => log.info({ [text]: text }, `${text}${key}${sign}${text}`)));
        },
      ),
    );
  });

  test('the name of a temporary folder stays readable', () => {
    const line = 'opened /tmp/porchlight-e2e-4QX9ab/data and My_Holiday-Photos_2026';
    expect(said(line)).toContain(line);
  });

  test('a long text from a stranger is checked quickly', () => {
    const started = performance.now();
    for (const piece of [
      '%',
      '=',
      'key=',
      '%3D%26',
      'token="',
      "a:'",
      '://a:',
      ' code: ',
      'eyJ.',
      'eyJ-',
      'code=',
      'a\\',
      'Bearer ',
      '\\"',
    ])
      said(piece.repeat(100_000 / piece.length));
    expect(performance.now() - started).toBeLessThan(limitOf(5000));
  });
});
