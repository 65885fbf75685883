import { afterAll, beforeAll, expect, test } from 'vitest';
import { hiddenFields, type Browser } from '../../support/browser.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { redeem, type Waiting } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const pageOf = async ({ browser, address }: Waiting) => (await browser.open(address)).text();
const cancel = (browser: Browser, { address }: Waiting, proof: string) =>
  browser.open(`${address}/cancel`, { method: 'POST', body: new URLSearchParams({ proof }) });
const waitingIds = async () => (await scene.porchlight.call('signIns.list', {})).map(({ id }) => id);
const settlementOf = ({ id }: Waiting) =>
  scene.porchlight.events.filter(({ name, data }) => name === 'signIn.settled' && data.id === id);

test('Cancel goes back to the app with access_denied, state and iss, and tells the owner', async () => {
  const waiting = await scene.ask(scene.request({ state: 'the state' }));
  const page = await pageOf(waiting);
  expect(page).toMatch(/<button[^>]*>\s*Cancel\s*<\/button>/);
  const back = await waiting.browser.press(page);
  expect(back.status).toBe(303);
  expect(back.headers.get('cache-control')).toBe('no-store');
  const { origin, pathname, searchParams } = new URL(back.headers.get('location') ?? '');
  expect(`${origin}${pathname}`).toBe(`${scene.app.origin}/callback`);
  expect(Object.fromEntries(searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'This sign-in was cancelled in the browser.',
    state: 'the state',
    iss: `${scene.porchlight.base}/`,
  });
  expect(await waitingIds()).toEqual([]);
  expect(settlementOf(waiting).map(({ data }) => data)).toEqual([
    { id: waiting.id, outcome: 'expired', cancelled: true },
  ]);
  await expect(scene.approve(waiting)).rejects.toThrow();
  // A reload of the waiting page leads to the same place.
  expect((await scene.wayBack(waiting)).searchParams.get('error')).toBe('access_denied');
});

test('only the browser that asked can cancel, and only with the proof from its own page', async () => {
  const waiting = await scene.ask(scene.request());
  const other = await scene.ask(scene.request());
  const { proof = '' } = hiddenFields(await pageOf(waiting));
  const otherProof = hiddenFields(await pageOf(other))['proof'] ?? '';
  expect((await cancel(scene.visitor(), waiting, proof)).status).toBe(404);
  expect((await cancel(other.browser, waiting, proof)).status).toBe(404);
  expect((await cancel(waiting.browser, waiting, otherProof)).status).toBe(403);
  expect((await cancel(waiting.browser, waiting, 'x')).status).toBe(403);
  const bare = await waiting.browser.open(`${waiting.address}/cancel`, { method: 'POST' });
  expect(bare.status).toBe(400);
  expect((await waiting.browser.open(`${waiting.address}/cancel`)).status).toBe(405);
  expect(await waitingIds()).toEqual([waiting.id, other.id]);
  for (const one of [waiting, other]) await scene.porchlight.call('signIns.deny', { id: one.id });
});

test('the proof of the request page does not cancel', async () => {
  const request = scene.request();
  const visitor = scene.visitor();
  const query = new URLSearchParams(request.parameters as Record<string, string>);
  const asked = hiddenFields(await (await visitor.open(`/auth?${query}`)).text());
  const waiting = await scene.ask(request, visitor);
  expect((await cancel(visitor, waiting, asked['proof'] ?? '')).status).toBe(403);
  await scene.porchlight.call('signIns.deny', { id: waiting.id });
});

test('Cancel right after the owner approved gives the app no code', async () => {
  const waiting = await scene.ask(scene.request());
  const { proof = '' } = hiddenFields(await pageOf(waiting));
  await scene.approve(waiting);
  const back = await cancel(waiting.browser, waiting, proof);
  expect(new URL(back.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');
  expect((await scene.wayBack(waiting)).searchParams.has('code')).toBe(false);
});

test('Cancel after the browser already went back leads to the same place, and the code stays good', async () => {
  const request = scene.request();
  const waiting = await scene.ask(request);
  const { proof = '' } = hiddenFields(await pageOf(waiting));
  await scene.approve(waiting);
  const went = await scene.wayBack(waiting);
  const back = await cancel(waiting.browser, waiting, proof);
  expect(back.headers.get('location')).toBe(went.href);
  expect((await redeem(scene.porchlight, request, went.searchParams)).status).toBe(200);
});

test('cancelled sign-ins leave no line in the history: strangers could fill it', async () => {
  const waiting = await scene.ask(scene.request());
  await waiting.browser.press(await pageOf(waiting));
  const denied = await scene.ask(scene.request());
  await scene.porchlight.call('signIns.deny', { id: denied.id });
  const ids = (await scene.porchlight.call('signIns.history', {})).map(({ id }) => id);
  expect(ids).toContain(denied.id);
  expect(ids).not.toContain(waiting.id);
});

test('a waiting page that the server no longer knows gets 404', async () => {
  const { browser } = await scene.ask(scene.request());
  const state = await browser.open('/auth/requests/AAAAAAAAAAAAAAAAAAAAAA/state');
  expect(state.status).toBe(404);
  expect(await state.json()).toEqual({ state: 'over', error: 'not_found' });
});
