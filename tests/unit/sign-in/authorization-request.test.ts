import { describe, expect, test } from 'vitest';
import {
  checkAuthorizationRequest,
  type Client,
  type Query,
  type RequestRules,
} from '../../../src-main/sign-in/authorization-request.ts';
import { resourceNamed } from '../../../src-main/http/server-metadata.ts';
import { pkcePair } from '../../support/client-app.ts';

const { challenge } = pkcePair();
const good: Query = {
  response_type: 'code',
  client_id: 'https://app.example/',
  redirect_uri: 'https://app.example/callback',
  state: 'a-state',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: 'profile create',
};

function client(id: string): Client {
  const redirects = { uris: [], exclusive: false };
  return { id, name: 'App', logo: null, logoUri: null, redirects, warnings: [] };
}

const strict: RequestRules = {
  lookUp: (id) => Promise.resolve(client(id)),
  addressesOf: (host) => Promise.resolve(host === 'lvh.example' ? ['93.184.216.34', '127.0.0.1'] : []),
  allowWithoutPkce: false,
  resourceNamed: (resource) => resourceNamed(resource, 'https://owner.example', true),
  ready: true,
};
const lenient = { ...strict, allowWithoutPkce: true };

const judge = (changes: Query, rules = strict) => checkAuthorizationRequest({ ...good, ...changes }, rules);

async function faultOf(changes: Query, rules = strict): Promise<string> {
  const verdict = await judge(changes, rules);
  return verdict.kind === 'faulty' ? verdict.error : verdict.kind;
}

async function requestOf(changes: Query, rules = strict) {
  const verdict = await judge(changes, rules);
  if (verdict.kind !== 'good') throw new Error(`The request is ${verdict.kind}: ${verdict.message}`);
  return verdict.request;
}

test('a valid request passes with all its parameters', async () => {
  expect(await requestOf({})).toMatchObject({
    clientId: good['client_id'],
    redirectUri: good['redirect_uri'],
    state: 'a-state',
    challenge,
    scopes: ['profile', 'create'],
  });
});

test('a response to a name that leads to loopback goes to a program', async () => {
  const elsewhere = 'https://lvh.example/callback';
  const lookUp = (id: string) =>
    Promise.resolve({ ...client(id), redirects: { uris: [elsewhere], exclusive: true } });
  expect((await requestOf({ redirect_uri: elsewhere }, { ...strict, lookUp })).isToProgram).toBe(true);
  expect((await requestOf({})).isToProgram).toBe(false);
});

describe('response_type', () => {
  test.each(['token', 'id_token', 'code token', 'CODE', 'none', 'id', '', undefined])(
    'IA-60 the response_type %j is not supported',
    async (type) => expect(await faultOf({ response_type: type })).toBe('unsupported_response_type'),
  );

  test.each(['id', '', undefined])(
    'IA-60 the response_type %j of apps before 2020 counts where old apps are admitted',
    async (type) => expect((await judge({ response_type: type }, lenient)).kind).toBe('good'),
  );

  test.each(['token', 'id_token', 'CODE'])(
    'IA-60 the response_type %j does not count for old apps either',
    async (type) => expect(await faultOf({ response_type: type }, lenient)).toBe('unsupported_response_type'),
  );
});

describe('PKCE', () => {
  test.each<[string, Query]>([
    ['a challenge without its method', { code_challenge_method: undefined }],
    ['a method without a challenge', { code_challenge: undefined }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['a method in lower case', { code_challenge_method: 's256' }],
    ['an unknown method', { code_challenge_method: 'S512' }],
    ['a challenge of 42 characters', { code_challenge: challenge.slice(1) }],
    ['a challenge of 44 characters', { code_challenge: `${challenge}A` }],
    ['a challenge of 128 characters', { code_challenge: 'a'.repeat(128) }],
    ['a challenge of 129 characters', { code_challenge: 'a'.repeat(129) }],
    ['a challenge with padding', { code_challenge: `${challenge.slice(1)}=` }],
    ['a challenge in base64', { code_challenge: `${challenge.slice(2)}+/` }],
    ['a challenge with what S256 never gives', { code_challenge: `${challenge.slice(2)}.~` }],
    ['a challenge with a space', { code_challenge: `${challenge.slice(1)} ` }],
  ])('IA-61 %s is an invalid_request, for old apps too', async (_name, changes) => {
    expect(await faultOf(changes)).toBe('invalid_request');
    expect(await faultOf(changes, lenient)).toBe('invalid_request');
  });

  const none: Query = { code_challenge: undefined, code_challenge_method: undefined };

  test('IA-62 a request without PKCE is refused', async () => {
    expect(await faultOf(none)).toBe('invalid_request');
    expect(await faultOf({ code_challenge: '', code_challenge_method: '' })).toBe('invalid_request');
  });

  test('IA-62 where old apps are admitted, a request without PKCE is marked as one without a challenge', async () => {
    expect((await requestOf(none, lenient)).challenge).toBeNull();
  });

  test('D-8 where old apps are admitted, a challenge that comes still counts', async () => {
    expect((await requestOf({}, lenient)).challenge).toBe(challenge);
  });

  const hex = 'b6e4e0a1b2c3d4e5f60718293a4b5c6d7e8f90112233445566778899aabbccdd';

  test.each([hex, hex.toUpperCase()])(
    'D-8b the digest %s in 64 hex characters is a challenge',
    async (text) => {
      expect((await requestOf({ code_challenge: text })).challenge).toBe(text);
    },
  );

  test.each([hex.slice(1), `${hex}0`, `${hex.slice(1)}g`])('D-8b %s is no digest in hex', async (text) =>
    expect(await faultOf({ code_challenge: text })).toBe('invalid_request'),
  );
});

describe('state', () => {
  test.each(['', undefined])('IA-63 the state %j is missing', async (state) => {
    expect(await faultOf({ state })).toBe('invalid_request');
  });

  test.each(['a b', 'a+b', 'a%2Bb', 'héé✓🏮', 'a&b=c#d', 'x'.repeat(2048)])(
    'IA-63 the state %j stays unchanged',
    async (state) => expect((await requestOf({ state })).state).toBe(state),
  );
});

describe('scope', () => {
  test.each(['', ' ', '  ', undefined])('IA-64 the scope %j asks for the identity only', async (scope) => {
    expect((await requestOf({ scope })).scopes).toEqual([]);
  });

  test.each(['create "update"', 'cre\\ate', 'créate', 'create\tupdate', 'create\nupdate', 'a\u007f', 'a\0'])(
    'IA-64 the scope %j has characters that no scope has',
    async (scope) => expect(await faultOf({ scope })).toBe('invalid_scope'),
  );

  test('IA-64 every other printable character may be in a scope', async () => {
    const printable = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index));
    const scope = printable.filter((character) => !'"\\+'.includes(character)).join('');
    expect((await requestOf({ scope: scope.slice(0, 50) })).scopes).toEqual([scope.slice(0, 50)]);
    expect((await requestOf({ scope: scope.slice(50) })).scopes).toEqual([scope.slice(50)]);
  });

  test('IA-64 unknown scopes and those named like parts of every object are kept', async () => {
    const scopes = ['__proto__', 'constructor', 'toString', 'https://scope.example/x'];
    expect((await requestOf({ scope: scopes.join(' ') })).scopes).toEqual(scopes);
  });

  test.each(['email', 'email create', 'create email'])(
    'IA-65 %j has email without profile',
    async (scope) => {
      expect(await faultOf({ scope })).toBe('invalid_scope');
    },
  );

  test.each(['profile email', 'email profile'])('IA-65 %j has both', async (scope) => {
    expect((await requestOf({ scope })).scopes).toEqual(scope.split(' '));
  });

  test.each([
    ['create+update', ['create', 'update']],
    ['create +update', ['create', 'update']],
    ['+create++update+', ['create', 'update']],
    ['create  update create', ['create', 'update']],
  ])('D-14 the scope %j is a list of names', async (scope, names) => {
    expect((await requestOf({ scope })).scopes).toEqual(names);
  });
});

describe('the rest', () => {
  test.each([
    'example.com',
    'https://example.com:8443/',
    'https://172.28.92.51/',
    'https://example.com/#me',
    '::',
  ])('IA-66 the hint me=%s changes nothing', async (me) =>
    expect(await judge({ me })).toEqual(await judge({})),
  );

  test.each(['client_id', 'redirect_uri'])('IA-67 a repeated %s leads nowhere', async (name) => {
    expect((await judge({ [name]: [String(good[name]), String(good[name])] })).kind).toBe('refused');
    expect((await judge({ [name]: [String(good[name]), 'https://evil.example/'] })).kind).toBe('refused');
  });

  test.each(['response_type', 'state', 'code_challenge', 'code_challenge_method', 'scope', 'me'])(
    'IA-67 a repeated %s is an invalid_request',
    async (name) => {
      const value = String(good[name] ?? 'x');
      expect(await faultOf({ [name]: [value, value] })).toBe('invalid_request');
      expect(await faultOf({ [name]: ['', value] })).toBe('invalid_request');
    },
  );

  test('IA-67 a repeated state is not carried back', async () => {
    expect(await judge({ state: ['a', 'b'] })).toMatchObject({ kind: 'faulty', state: undefined });
  });

  test('IA-68 unknown parameters are ignored, however often they come', async () => {
    const more = {
      nonce: 'n',
      prompt: ['login', 'consent'],
      'state[]': 'x',
      ['__proto__']: 'x',
      constructor: 'x',
    };
    expect(await judge(more)).toEqual(await judge({}));
  });

  test.each(['client_id', 'redirect_uri'])('IA-68 an empty %s is a missing one', async (name) => {
    expect((await judge({ [name]: '' })).kind).toBe('refused');
    expect((await judge({ [name]: undefined })).kind).toBe('refused');
  });

  test('IA-68 an empty me or scope is as good as none', async () => {
    expect((await judge({ me: '', scope: '' })).kind).toBe('good');
  });

  test.each(['state', 'scope', 'me', 'code_challenge'])('a %s without end is refused', async (name) => {
    expect(await faultOf({ [name]: 'x'.repeat(5000) })).toBe('invalid_request');
  });

  test('IA-77 before the owner has entered their domain, an app is asked to come back later', async () => {
    expect(await faultOf({}, { ...strict, ready: false })).toBe('temporarily_unavailable');
  });

  test('IA-56 the client and the redirect URI are checked before anything else', async () => {
    const wrong = { redirect_uri: 'https://evil.example/', response_type: 'token', state: undefined };
    expect((await judge(wrong)).kind).toBe('refused');
  });
});
