import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { clientFromDocument, clientFromIdOnly } from '../../../src-main/sign-in/client-information.ts';

const id = 'https://app.example/client';

/** The client that a JSON document describes. */
function fromDocument(changes: Record<string, unknown> = {}, clientId = id) {
  return clientFromDocument(clientId, JSON.stringify({ client_id: clientId, ...changes }));
}

/** The words of the refusal; fails where nothing is refused. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(PorchlightError);
    expect(error).toMatchObject({ code: 'invalid_client', status: 400 });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('Nothing was refused.');
}

describe('a JSON document', () => {
  test('IA-42 tells name, picture and redirects', () => {
    const redirect = 'https://app.example/callback';
    const logo = 'https://app.example/logo.png';
    expect(
      fromDocument({
        client_name: 'Quill',
        client_uri: 'https://app.example/',
        logo_uri: logo,
        redirect_uris: [redirect],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        unknown: { to: 'us' },
      }),
    ).toEqual({
      id,
      name: 'Quill',
      logoUri: logo,
      redirects: { uris: [redirect], exclusive: true },
      warnings: [],
    });
  });

  test('IA-42 needs nothing but its client_id', () => {
    expect(fromDocument()).toMatchObject({
      name: 'app.example',
      logoUri: null,
      redirects: { uris: [], exclusive: false },
    });
  });

  test.each([
    'https://app.example/client/',
    'https://app.example/Client',
    'https://app.example/client?',
    'https://app.example/client#',
    'https://app.example:443/client',
    'https://app.example/x/../client',
    'https://app.example/%63lient',
    'http://app.example/client',
    'https://evil.example/client',
    '',
  ])('IA-42 a JSON document must name its own address, not %j', (clientId) => {
    expect(refusal(() => fromDocument({ client_id: clientId }))).toContain('client_id');
  });

  test.each([
    ['https://app.example', 'https://app.example/'],
    ['https://app.example/', 'https://app.example'],
    ['https://APP.example/', 'https://app.example/'],
    ['https://app.example?a', 'https://app.example/?a'],
  ])('IA-35 %s and a document of %s are one client', (asked, named) => {
    expect(fromDocument({ client_id: named }, asked).id).toBe(asked);
  });

  test.each([
    ['none', '{}'],
    ['a number', '{"client_id":1}'],
    ['null', '{"client_id":null}'],
    ['a list', `{"client_id":["${id}"]}`],
    ['one only inherited', `{"__proto__":{"client_id":"${id}"}}`],
  ])('IA-42 a document whose client_id is %s is refused', (_, text) => {
    refusal(() => clientFromDocument(id, text));
  });

  test.each([
    '',
    'null',
    '[]',
    '"text"',
    '{',
    `[{"client_id":"${id}"}]`,
    '\u0000',
    '{"client_id":'.repeat(300),
  ])('IA-44 a document that isn’t a JSON object is refused: %j', (text) => {
    refusal(() => clientFromDocument(id, text));
  });

  test.each([
    ['client_name', 5],
    ['client_name', ['a']],
    ['client_uri', 5],
    ['logo_uri', {}],
    ['redirect_uris', 'https://app.example/callback'],
    ['redirect_uris', [5]],
    ['redirect_uris', [null]],
    ['redirect_uris', { 0: 'https://app.example/callback', length: 1 }],
    ['token_endpoint_auth_method', ['none']],
  ])('IA-44 a malformed %s is refused: %j', (name, value) => {
    refusal(() => fromDocument({ [name]: value }));
  });

  test.each([
    'https://app.example/',
    'https://app.example',
    'https://app.example/client',
    'https://app.example/cli',
    'https://app.example/other',
    'https://app.example/client/more',
    'http://app.example/',
  ])('IA-43 the client_uri %s on the same host is no reason for a warning', (clientUri) => {
    expect(fromDocument({ client_uri: clientUri })).toMatchObject({ id, warnings: [] });
  });

  test.each([
    'https://other.example/',
    'https://sub.app.example/',
    'https://app.example:8443/',
    'https://app.exampl',
    'https://app',
    '/',
    'nonsense',
  ])('IA-43 the client_uri %s elsewhere is ignored, with a warning', (clientUri) => {
    const { name, warnings } = fromDocument({ client_uri: clientUri, client_name: 'App' });
    expect(name).toBe('App');
    expect(warnings).toEqual([expect.stringContaining('names another site as its home')]);
  });

  test.each([
    ['client_secret', 'hunter2'],
    ['client_secret', ''],
    ['client_secret', null],
    ['client_secret_expires_at', 0],
  ])('IA-45 a document with %s %j is refused, and the secret not repeated', (name, value) => {
    const words = refusal(() => fromDocument({ [name]: value }));
    expect(words).toContain('secret');
    expect(words).not.toContain('hunter2');
  });

  test.each(['client_secret_basic', 'client_secret_post', 'client_secret_jwt'])(
    'IA-45 a client that shares a secret (%s) is refused',
    (method) => {
      expect(refusal(() => fromDocument({ token_endpoint_auth_method: method }))).toContain(method);
    },
  );

  test.each(['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth', 'unheard_of', ''])(
    'IA-46 a client that must prove itself by “%s” is refused, not taken for a public one',
    (method) => {
      refusal(() =>
        fromDocument({ token_endpoint_auth_method: method, jwks_uri: 'https://app.example/jwks' }),
      );
    },
  );

  test('IA-46 a client that prefers a key and can do without one is a public client', () => {
    const methods = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://app.example/jwks' };
    const known = fromDocument({
      ...methods,
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    });
    expect(known.id).toBe(id);
    refusal(() => fromDocument({ ...methods, token_endpoint_auth_methods_supported: ['private_key_jwt'] }));
  });

  test('IA-46 the name of its method is shown as one harmless line', () => {
    const words = refusal(() =>
      fromDocument({ token_endpoint_auth_method: `\u202Eevil\n${'x'.repeat(500)}` }),
    );
    expect(words).not.toMatch(/[\u202E\n]/);
    expect(words.length).toBeLessThan(200);
  });

  test.each([
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '/logo.png',
    'nonsense',
  ])('IA-41 the logo_uri %s is left aside', (logo) => {
    expect(fromDocument({ logo_uri: logo }).logoUri).toBeNull();
  });

  test('IA-42 keys that every object has are keys like others', () => {
    const text = `{"client_id":"${id}","__proto__":{"polluted":true,"redirect_uris":["https://evil.example/"]},"constructor":1,"toString":2,"hasOwnProperty":3}`;
    expect(clientFromDocument(id, text).redirects).toEqual({ uris: [], exclusive: false });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a name', () => {
  const named = (name: string) => fromDocument({ client_name: name }).name;

  test.each([
    ['characters that turn the reading direction', 'Bank\u202Emoc.live', 'Bank moc.live'],
    ['isolates', '\u2066Quill\u2069', 'Quill'],
    ['marks', '\u200FQuill\u200E\u061C', 'Quill'],
    ['control characters', 'Qu\u0000ill\u001B[31m\u007F\u0085', 'Qu ill [31m'],
    ['line breaks', 'Quill\r\n\u2028\u2029wants\tmore', 'Quill wants more'],
    ['characters of no width', 'Q\u200Bu\u2060ill\uFEFF', 'Q u ill'],
    ['tags', '\u{E0041}Quill', 'Quill'],
    ['too many spaces', '   Quill   App   ', 'Quill App'],
  ])('IA-70 loses %s', (_, given, shown) => {
    expect(named(given)).toBe(shown);
  });

  test('IA-70 is cut at 80 characters, none in half', () => {
    expect(Array.from(named('🏡'.repeat(200)))).toEqual(Array.from('🏡'.repeat(80)));
  });

  test.each(['', '   ', '\u202E\u200B', '\n'])('IA-70 that shows nothing (%j) is the host', (name) => {
    expect(named(name)).toBe('app.example');
  });

  test('IA-70 of a host that looks like another is its plain form', () => {
    expect(clientFromIdOnly('https://аррӏе.example/', 'x').name).toBe('xn--80ak6aa92e.example');
  });
});
