import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, jsonOf, withToken } from '../../support/answers.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let token = '';
beforeAll(async () => {
  scene = await openScene();
  ({ access_token: token } = await scene.tokens(scene.request({ scope: 'profile create' })));
});
afterAll(() => scene.close());

const protectedPaths = [
  ['GET', '/token'],
  ['POST', '/introspect'],
  ['GET', '/userinfo'],
] as const;

const ask = (method: string, address: string, headers: Record<string, string> = {}) =>
  fetch(new URL(address, scene.porchlight.base), { method, headers });

describe.each(protectedPaths)('%s %s', (method, path) => {
  test('IA-150 without credentials: 401, and the challenge names no error', async () => {
    const response = await ask(method, path);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('IA-150 with a token that does not count: 401 invalid_token', async () => {
    const response = await withToken(scene.porchlight, path, 'unknown', { method });
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    await expectError(response, 401, 'invalid_token');
  });

  test.each(['"quoted"', 'a b', 'a,b', 'ünï', '{}'])(
    'IA-150 with %j, which no token is: 401 invalid_token',
    async (text) => {
      const response = await ask(method, path, {
        authorization: `Bearer ${Buffer.from(text).toString('latin1')}`,
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    },
  );

  test('IA-150 with a token that is far too long: 401 invalid_token', async () => {
    const response = await withToken(scene.porchlight, path, 'x'.repeat(9000), { method });
    await expectError(response, 401, 'invalid_token');
  });

  test.each(['Basic dXNlcjpwYXNz', 'Token x', 'Bearer', 'Bearer ', 'Bearerx', ''])(
    'IA-150 %j is no bearer token at all',
    async (authorization) => {
      const response = await ask(method, path, { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'IA-151 the scheme may be written %s',
    async (scheme) => {
      expect((await ask(method, path, { authorization: `${scheme} ${token}` })).status).toBe(200);
      expect((await ask(method, path, { authorization: `${scheme}   ${token}` })).status).toBe(200);
    },
  );

  test('IA-151 a token in the address is refused', async () => {
    for (const name of ['access_token', 'token', 'authorization', 'bearer']) {
      const response = await ask(method, `${path}?${name}=${token}`);
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain('owner.example');
    }
  });
});

test('D-4 a missing token is called unauthorized', async () => {
  for (const [method, path] of protectedPaths.slice(0, 2))
    await expectError(await ask(method, path), 401, 'unauthorized');
});

test('IA-150 a token that may not do this: 403 insufficient_scope, with the scope that it needs', async () => {
  const { token: weak } = await scene.porchlight.call('apps.issueToken', { label: 'x', scopes: ['create'] });
  const response = await withToken(scene.porchlight, '/userinfo', weak);
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="profile"');
  expect(await jsonOf(response)).toMatchObject({ error: 'insufficient_scope' });
});

test('a repeated Authorization header does not smuggle a token in', async () => {
  const answer = await rawRequest(
    scene.porchlight.base,
    `GET /token HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer unknown\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  expect(answer.statuses).toEqual([401]);
});
