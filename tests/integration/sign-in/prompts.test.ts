import { afterEach, beforeEach, expect, test } from 'vitest';
import { userAgentOf } from '../../../src-main/platform/guarded-fetch.ts';
import { openScene, openVisitor, type Scene } from '../../support/scene.ts';
import { authorizationUrl } from '../../support/sign-in.ts';

let scene: Scene;
beforeEach(async () => void (scene = await openScene()));
afterEach(() => scene.close());

const waitingIds = async () => (await scene.porchlight.call('signIns.list', {})).map(({ id }) => id);
const bells = () => scene.porchlight.events.filter(({ name }) => name === 'signIn.requested').length;

async function pressed(browser = scene.visitor()): Promise<Response> {
  const page = await browser.open(authorizationUrl(scene.porchlight.base, scene.request()));
  return browser.press(await page.text());
}

test('reading a request never notifies the owner, however often', async () => {
  for (let turn = 0; turn < 20; turn += 1)
    await scene.visitor().open(authorizationUrl(scene.porchlight.base, scene.request()));
  expect(bells()).toBe(0);
});

test('five sign-ins may wait at once; the sixth gets a page with 429, and its turn later', async () => {
  const five = [];
  for (let turn = 0; turn < 5; turn += 1) five.push(await scene.ask(scene.request()));
  const late = scene.visitor();
  const refused = await pressed(late);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('content-type')).toMatch(/^text\/html/);
  expect(await waitingIds()).toEqual(five.map(({ id }) => id));
  expect(bells()).toBe(5);
  await scene.porchlight.call('signIns.deny', { id: five[0]!.id });
  expect((await pressed(late)).status).toBe(303);
});

test('a browser may have one sign-in waiting: the next one replaces it', async () => {
  const first = await scene.ask(scene.request());
  const second = await scene.ask(scene.request(), first.browser);
  expect(await waitingIds()).toEqual([second.id]);
  await expect(scene.approve(first)).rejects.toThrow();
  await scene.approve(second);
  expect((await scene.wayBack(second)).searchParams.has('code')).toBe(true);
});

test('an address that presses again and again hears 429, others do not', async () => {
  const { base } = scene.porchlight;
  const press = (address: string) =>
    openVisitor(base, address).open('/auth/requests', { method: 'POST', body: new URLSearchParams() });
  const statuses: number[] = [];
  for (let turn = 0; turn < 40; turn += 1) statuses.push((await press('192.0.2.1')).status);
  const firstRefused = statuses.indexOf(429);
  expect(firstRefused).toBeGreaterThanOrEqual(5);
  expect(new Set(statuses.slice(0, firstRefused))).toEqual(new Set([400]));
  expect(new Set(statuses.slice(firstRefused))).toEqual(new Set([429]));
  const refused = await press('192.0.2.1');
  expect(refused.headers.get('content-type')).toMatch(/^text\/html/);
  expect((await press('192.0.2.2')).status).toBe(400);
});

test('an address may have two sign-ins waiting, whatever browsers it uses; others still find a place', async () => {
  const from = (address: string) => pressed(openVisitor(scene.porchlight.base, address));
  const statuses = [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')];
  expect(statuses.map(({ status }) => status)).toEqual([303, 303, 429]);
  expect((await from('192.0.2.2')).status).toBe(303);
});

test('a replaced sign-in says so on its waiting page, with the way back to its app', async () => {
  const from = (address: string) => scene.ask(scene.request(), openVisitor(scene.porchlight.base, address));
  const oldest = await from('192.0.2.1');
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) await from(address);
  const owners = await from('192.0.2.4');
  expect(await waitingIds()).toContain(owners.id);
  expect(await waitingIds()).not.toContain(oldest.id);

  const state = await oldest.browser.open(`${oldest.address}/state`);
  expect(await state.json()).toEqual({ state: 'over' });
  const page = await oldest.browser.open(oldest.address);
  expect(page.status).toBe(410);
  const text = await page.text();
  expect(text).toContain('Another sign-in took the place of this one');
  expect(text).toContain('sign in again');
  const wayBack = new URL(
    /class="button quiet" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '',
  );
  expect(wayBack.href.startsWith(scene.request().redirectUri)).toBe(true);
  expect(Object.fromEntries(wayBack.searchParams)).toMatchObject({
    error: 'temporarily_unavailable',
    state: 'a-state',
  });
});

test('a browser that asks again and again leaves one line in the history', async () => {
  const { browser } = await scene.ask(scene.request());
  await scene.ask(scene.request(), browser);
  const last = await scene.ask(scene.request(), browser);
  await scene.porchlight.call('signIns.deny', { id: last.id });
  const outcomes = async () =>
    (await scene.porchlight.call('signIns.history', {})).map(({ outcome }) => outcome);
  await expect.poll(outcomes).toContain('denied');
  expect(await outcomes()).toEqual(['denied']);
});

test('the addresses of one IPv6 network count as one', async () => {
  const { base } = scene.porchlight;
  const view = async (address: string) => (await openVisitor(base, address).open('/auth')).status;
  for (let turn = 1; turn <= 30; turn += 1) expect(await view(`2001:db8:0:1::${turn}`)).toBe(400);
  expect(await view('2001:db8:0:ff:ffff::')).toBe(429);
  expect(await view('2001:db8:0:100::1')).toBe(400);
});

test('what this server is made to fetch from itself is not counted as its owner’s', async () => {
  const visitor = openVisitor(scene.porchlight.base, '192.0.2.1');
  const headers = { 'user-agent': userAgentOf('1.0.0') };
  for (let turn = 0; turn < 40; turn += 1) await visitor.open('/auth', { headers });
  expect((await visitor.open('/auth', { headers })).status).toBe(429);
  expect((await visitor.open('/auth')).status).toBe(400);
});

test('an address that looks again and again hears 429, others do not', async () => {
  const { base } = scene.porchlight;
  const view = async (address: string) => (await openVisitor(base, address).open('/auth')).status;
  const statuses: number[] = [];
  for (let turn = 0; turn < 150; turn += 1) statuses.push(await view('192.0.2.1'));
  expect(statuses.slice(0, 30)).toEqual(new Array(30).fill(400));
  expect(statuses.at(-1)).toBe(429);
  expect(await view('192.0.2.2')).toBe(400);
});
