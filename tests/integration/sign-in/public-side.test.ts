import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScene, type Scene } from '../../support/scene.ts';
import { redeem, type Waiting } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

/** Expects that `waiting` is as it was: unanswered, and the owner’s answer still works. */
async function expectUnmoved(waiting: Waiting, request: ReturnType<Scene['request']>): Promise<void> {
  const pending = await scene.porchlight.call('signIns.list', {});
  expect(pending.map(({ id }) => id)).toEqual([waiting.id]);
  expect((await waiting.browser.open(waiting.address)).status).toBe(200);
  await scene.approve(waiting);
  const answer = (await scene.wayBack(waiting)).searchParams;
  expect((await redeem(scene.porchlight, request, answer)).status).toBe(200);
}

const paths = [
  '/',
  '/auth',
  '/auth/requests',
  '/auth/requests/ID',
  '/auth/requests/ID/state',
  '/auth/requests/ID/approve',
  '/auth/approve',
  '/auth/approve/ID',
  '/token',
  '/introspect',
  '/revoke',
  '/userinfo',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
  '/api/signIns.approve',
  '/api/signIns.list',
  '/api/events',
  '/signIns.approve',
];

test('nobody outside can approve a sign-in, whatever they call with its id', async () => {
  const request = scene.request();
  const waiting = await scene.ask(request);
  const { id, matchCode } = waiting;
  const fields = { id, matchCode, scopes: 'profile create', outcome: 'approved', approve: 'true' };
  const form = new URLSearchParams(fields);
  const json = JSON.stringify({ ...fields, scopes: ['profile', 'create'] });
  for (const path of paths.map((one) => one.replace('ID', id))) {
    const attempts: [string, RequestInit][] = [
      [`${path}?${form}`, {}],
      [path, { method: 'POST', body: form }],
      [path, { method: 'POST', body: json, headers: { 'content-type': 'application/json' } }],
      [path, { method: 'PUT', body: form }],
      [path, { method: 'DELETE' }],
    ];
    for (const [address, init] of attempts) {
      const response = await scene.visitor().open(address, init);
      expect(response.status, `${init.method ?? 'GET'} ${address}`).toBeLessThan(500);
      expect(response.headers.get('location') ?? '').not.toContain('code=');
      expect(await response.text()).not.toContain(`>${matchCode}<`);
    }
  }
  await expectUnmoved(waiting, request);
});

describe('the browser that asked', () => {
  test('cannot answer itself either', async () => {
    const request = scene.request();
    const waiting = await scene.ask(request);
    const body = new URLSearchParams({ id: waiting.id, outcome: 'approved', scopes: 'create' });
    for (const path of [waiting.address, `${waiting.address}/state`, `${waiting.address}/approve`]) {
      const response = await waiting.browser.open(path, { method: 'POST', body });
      expect([404, 405]).toContain(response.status);
    }
    const page = await waiting.browser.open(`${waiting.address}?outcome=approved&approve=true&scopes=create`);
    expect(page.status).toBe(200);
    await expectUnmoved(waiting, request);
  });

  test('is the only one that is sent back', async () => {
    const request = scene.request();
    const waiting = await scene.ask(request);
    const stranger = scene.visitor();
    expect((await stranger.open(waiting.address)).status).toBe(404);
    await scene.approve(waiting);
    const strangers = await stranger.open(waiting.address);
    expect([strangers.status, strangers.headers.get('location')]).toEqual([404, null]);
    expect(await (await stranger.open(`${waiting.address}/state`)).json()).toEqual({
      state: 'over',
      error: 'not_found',
    });
    expect(
      (await redeem(scene.porchlight, request, (await scene.wayBack(waiting)).searchParams)).status,
    ).toBe(200);
  });

  test('is not one that waits for another sign-in of the same app', async () => {
    const mine = await scene.ask(scene.request());
    const other = await scene.ask(scene.request());
    await scene.approve(mine);
    expect((await other.browser.open(mine.address)).status).toBe(404);
    expect((await other.browser.open(other.address)).status).toBe(200);
    expect((await scene.wayBack(mine)).searchParams.has('code')).toBe(true);
    await scene.porchlight.call('signIns.deny', { id: other.id });
  });

  test('is told by the cookie it has now: an old one, or one of another browser, opens nothing', async () => {
    const request = scene.request();
    const waiting = await scene.ask(request);
    const cookie = waiting.browser.cookies.get('__Host-porchlight') ?? '';
    const earlier = await scene.ask(scene.request());
    const old = earlier.browser.cookies.get('__Host-porchlight') ?? '';
    await scene.porchlight.call('signIns.deny', { id: earlier.id });
    await scene.approve(waiting);
    for (const wrong of [old, '', 'A'.repeat(43), cookie.slice(0, -1), `${cookie}A`, waiting.id]) {
      const stranger = scene.visitor();
      stranger.cookies.set('__Host-porchlight', wrong);
      const response = await stranger.open(waiting.address);
      expect([response.status, response.headers.get('location')]).toEqual([404, null]);
    }
    expect((await scene.wayBack(waiting)).searchParams.has('code')).toBe(true);
  });
});

test('ids can’t be guessed: 128 random bits, and a wrong one is as good as none', async () => {
  const waiting = await scene.ask(scene.request());
  expect(waiting.id).toMatch(/^[\w-]{22}$/);
  for (const id of [waiting.id.slice(1), `${waiting.id}A`, waiting.id.toLowerCase(), '..%2F', '__proto__'])
    expect((await waiting.browser.open(`/auth/requests/${id}`)).status).toBe(404);
  expect((await waiting.browser.open(waiting.address)).status).toBe(200);
  await scene.porchlight.call('signIns.deny', { id: waiting.id });
});
