import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorizationUrl } from '../../support/sign-in.ts';
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

describe('random requests', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc
      .webUrl({ withFragments: true, withQueryParameters: true })
      .map((url) => url.replace(/\/\/[^/]+/, '//127.0.0.1:1')),
    fc.constantFrom(
      '',
      '%',
      '%00',
      'authorization_code',
      'refresh_token',
      'S256',
      'code',
      '__proto__',
      '\u202e',
      '\ud800',
    ),
    fc.constantFrom(
      'a'.repeat(43),
      'http://127.0.0.1:1/',
      'http://[::1',
      'javascript:1',
      'https://127.0.0.1/..',
    ),
  );
  const names = [
    'grant_type',
    'code',
    'client_id',
    'redirect_uri',
    'code_verifier',
    'refresh_token',
    'scope',
    'token',
    'action',
    'response_type',
    'state',
    'code_challenge',
    'code_challenge_method',
    'me',
    'request',
    'proof',
    '__proto__',
  ];
  const field = fc.tuple(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, piece), piece);
  const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString()); // without lone surrogates
  const fields = fc
    .array(field, { maxLength: 12 })
    .map((list) => list.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
  const visible = (text: string) => text.replace(/[^\x21-\x7e\x80-\xff]/g, '');
  const header = fc
    .tuple(
      fc.constantFrom(
        'authorization',
        'cookie',
        'accept',
        'origin',
        'content-encoding',
        'content-type',
        'x-anything',
      ),
      fc.oneof(
        piece,
        piece.map((text) => `Bearer ${text}`),
        piece.map((text) => `__Host-porchlight=${text}`),
        fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/json',
          'multipart/form-data; boundary=x',
        ),
      ),
    )
    .map(([name, value]) => `${name}: ${value.split(' ').map(visible).join(' ')}`);
  const target = fc
    .tuple(
      fc.constantFrom(...routes),
      fc.oneof({ weight: 4, arbitrary: fc.constant('') }, piece.map(visible)),
      fields,
    )
    .map(([route, more, query]) => `${route}${more.replace(/[?#]/g, '')}?${query}`.slice(0, 8000));
  const body = fc.oneof(fields, fc.uint8Array({ maxLength: 500 }), fc.json());
  const method = fc.constantFrom('GET', 'POST', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE');

  test('the answer is no fault of the server’s, and API addresses say so in JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        method,
        target,
        fc.array(header, { maxLength: 4 }),
        body,
        fc.boolean(),
        async (verb, where, headers, content, isForm) => {
          const lines = isForm ? [...form, ...headers] : headers;
          const answer = await siege.send(written(verb, where, lines, content));
          if (!isPage(verb, where)) expectJsonError(answer);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('an authorization request of any parameters is answered', async () => {
    const good = Object.fromEntries(
      new URL(authorizationUrl(siege.scene.porchlight.base, siege.scene.request())).searchParams,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(field, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (changes, doubled) => {
          const query = Object.entries({ ...good, ...Object.fromEntries(changes) }).concat(
            doubled ? changes : [],
          );
          const text = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
          const answer = await siege.send(written('GET', `/auth?${text}`, []));
          expect([200, 400, 431]).toContain(answer.statuses.at(-1));
        },
      ),
      { numRuns: 400 },
    );
    expect(await siege.scene.porchlight.call('signIns.list', {})).toEqual([]);
  });

  test('bytes of any kind are answered, or the connection is closed', async () => {
    const start = fc.constantFrom('GET /auth', 'POST /token', 'POST /revoke', '');
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 300 }), async (text, bytes) => {
        await siege.sendAndHangUp(Buffer.concat([Buffer.from(text), bytes, Buffer.from('\r\n\r\n')]));
      }),
      { numRuns: 300 },
    );
  });
});
