import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseOptions } from '../../../src-main/app/options.ts';
import { metadataOf } from '../../../src-main/http/server-metadata.ts';
import { jsonOf } from '../../support/answers.ts';
import { openSite, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { authorizationUrl, signIn, signInRequest } from '../../support/sign-in.ts';
import { insecure } from '../../support/strict-client.ts';

const path = '/.well-known/oauth-authorization-server';
const base = 'https://porch.example';

let porchlight: Porchlight;
let site: Site;
let metadata: Record<string, unknown>;
beforeAll(async () => {
  site = await openSite();
  porchlight = await startPorchlight({ baseUrl: base });
  metadata = await jsonOf(await ask());
});
afterAll(async () => {
  await porchlight.remove();
  await site.close();
});

/** Where the server listens; `base` is only where it says it is. */
async function local(): Promise<string> {
  return `http://127.0.0.1:${(await porchlight.call('status.get', {})).port}`;
}

async function ask(init: RequestInit = {}, address = path): Promise<Response> {
  return fetch(`${await local()}${address}`, { redirect: 'manual', ...init });
}

describe('the metadata document', () => {
  test('IA-19 is at the well-known path: 200, JSON', async () => {
    const response = await ask();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  });

  test('IA-10 its issuer is https, without query and fragment, and a prefix of its address', () => {
    const issuer = new URL(String(metadata['issuer']));
    expect(issuer.protocol).toBe('https:');
    expect([issuer.search, issuer.hash]).toEqual(['', '']);
    expect(`${base}${path}`.startsWith(String(metadata['issuer']))).toBe(true);
  });

  test('D-6 its issuer is the origin with a slash', () => {
    expect(metadata['issuer']).toBe('https://porch.example/');
  });

  test('IA-11 names the endpoints of our own API, and S256', () => {
    expect(metadata).toMatchObject({
      authorization_endpoint: `${base}/auth`,
      token_endpoint: `${base}/token`,
      introspection_endpoint: `${base}/introspect`,
      code_challenge_methods_supported: ['S256'],
    });
  });

  test('IA-12 names revocation and userinfo', () => {
    expect(metadata).toMatchObject({
      revocation_endpoint: `${base}/revoke`,
      userinfo_endpoint: `${base}/userinfo`,
      introspection_endpoint_auth_methods_supported: expect.any(Array) as string[],
    });
  });

  test('IA-13 revocation needs no client authentication, and the key has its exact name', () => {
    expect(metadata['revocation_endpoint_auth_methods_supported']).toEqual(['none']);
    expect(metadata).not.toHaveProperty('revocation_auth_methods_supported');
  });

  test('IA-14 lists the scopes', () => {
    expect(metadata['scopes_supported']).toEqual(
      expect.arrayContaining(['profile', 'email', 'create', 'media']),
    );
  });

  test('IA-15 lists response and grant types, refresh among them', () => {
    expect(metadata['response_types_supported']).toEqual(['code']);
    expect(metadata['grant_types_supported']).toEqual(['authorization_code', 'refresh_token']);
  });

  test('IA-16 announces iss', () => {
    expect(metadata['authorization_response_iss_parameter_supported']).toBe(true);
  });

  test('IA-17 announces client metadata documents', () => {
    expect(metadata['client_id_metadata_document_supported']).toBe(true);
  });

  test('IA-18 the token endpoint needs no client authentication', () => {
    expect(metadata['token_endpoint_auth_methods_supported']).toEqual(['none']);
  });

  test('IA-3 repeats micropub', () => {
    expect(metadata['micropub']).toBe(`${base}/micropub`);
  });

  test('is the same whatever the Host header says, so that nobody can have it name another server', async () => {
    const response = await ask({ headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } });
    expect(await jsonOf(response)).toEqual(metadata);
  });

  test('every address in it is on the base, and answers', async () => {
    const endpoints = Object.entries(metadata).filter(
      ([name]) => name.endsWith('_endpoint') || name === 'jwks_uri',
    );
    expect(endpoints.length).toBeGreaterThanOrEqual(6);
    for (const [, address] of endpoints) {
      const url = new URL(String(address));
      expect(url.origin).toBe(base);
      const answers = await Promise.all(['GET', 'POST'].map((method) => ask({ method }, url.pathname)));
      expect(answers.map(({ status }) => status)).not.toEqual([404, 404]);
    }
  });
});

test.each(['https://porch.example/auth', 'https://porch.example/?a', 'https://porch.example/#a'])(
  'D-7 a base address is an origin, %s is refused',
  (address) => {
    expect(() => parseOptions(['--base-url', address], {})).toThrow('--base-url');
    expect(parseOptions(['--base-url', new URL(address).origin], {}).baseUrl).toBe(base);
  },
);

test('IA-16 the iss of an answer is exactly the issuer', async () => {
  const here = await startPorchlight();
  try {
    const issuer = (await jsonOf(await fetch(here.base + path)))['issuer'];
    const answer = await signIn(here, signInRequest(site.origin));
    expect(answer.get('iss')).toBe(issuer);
  } finally {
    await here.remove();
  }
});

test('IA-19 a strict client takes the document', async () => {
  const here = await startPorchlight();
  try {
    const issuer = new URL(here.base);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    expect(new URL(server.issuer).href).toBe(issuer.href);
    expect({ ...server }).toEqual(metadataOf(here.base));
  } finally {
    await here.remove();
  }
});

describe('scripts of other sites', () => {
  const origin = 'https://reader.example';

  test.each([
    ['the metadata', path],
    ['the keys', '/.well-known/jwks.json'],
    ['the token endpoint', '/token'],
    ['userinfo', '/userinfo'],
    ['the front page', '/'],
  ])('IA-20 may read %s, without cookies', async (_, address) => {
    const response = await ask({ headers: { origin } }, address);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('IA-20 may post to the token endpoint, with a token in the header', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const response = await ask({ method: 'OPTIONS', headers }, '/token');
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
  });

  test.each<[string, string, RequestInit]>([
    [
      'looking',
      authorizationUrl('http://x', signInRequest('https://app.example')).slice('http://x'.length),
      {},
    ],
    ['a faulty request', '/auth', {}],
    ['redeeming', '/auth', { method: 'POST' }],
    ['a preflight', '/auth', { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }],
    ['the button', '/auth/requests', { method: 'POST' }],
    ['the waiting page', '/auth/requests/abc', {}],
    ['what the waiting page asks', '/auth/requests/abc/state', {}],
    ['a slash after it', '/auth/', {}],
    ['a parameter after it', '/auth;a', {}],
  ])('IA-20 may not read the authorization endpoint: %s', async (_, address, init) => {
    const response = await ask(
      { ...init, headers: { origin, ...(init.headers as Record<string, string>) } },
      address,
    );
    const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
    if (response.status !== 404) expect(cors).toEqual([]);
    expect(response.status).toBeLessThan(500);
  });

  // buildPublicApp looks at the address as it was written; the router decodes it.
  test('IA-20 may not read the authorization endpoint: an odd spelling', async () => {
    const response = await ask({ headers: { origin } }, '/%61uth');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});
