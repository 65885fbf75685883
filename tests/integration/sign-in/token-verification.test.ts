import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNotKept, jsonOf, withToken } from '../../support/answers.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

test('IA-140 GET /token tells a Micropub server whose token it is, for whom and what', async () => {
  const { access_token } = await scene.tokens(scene.request({ scope: 'profile create' }));
  const response = await withToken(scene.porchlight, '/token', access_token);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  expectNotKept(response);
  expect(await jsonOf(response)).toEqual({
    active: 'true',
    me: 'https://owner.example/',
    client_id: `${scene.app.origin}/`,
    scope: 'profile create',
  });
});

test('IA-140 a token made by hand is verified like any other', async () => {
  const { token } = await scene.porchlight.call('apps.issueToken', {
    label: 'A script',
    scopes: ['create', 'media'],
  });
  expect(await jsonOf(await withToken(scene.porchlight, '/token', token))).toEqual({
    active: 'true',
    me: 'https://owner.example/',
    client_id: `${scene.porchlight.base}/`,
    scope: 'create media',
  });
});

test.each(['unknown', 'a.b.c', 'A'.repeat(43)])(
  'IA-140 the token %s is 401, and tells nothing',
  async (token) => {
    const response = await withToken(scene.porchlight, '/token', token);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('owner.example');
  },
);

test('IA-140 without a token it is 401', async () => {
  expect((await fetch(new URL('/token', scene.porchlight.base))).status).toBe(401);
});
