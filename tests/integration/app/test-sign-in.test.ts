import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser.ts';
import { openEdge, showing, type Edge } from '../../support/fake-edge.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import {
  answerOf,
  ask,
  authorizationUrl,
  redeem,
  signInRequest,
  type SignInRequest,
} from '../../support/sign-in.ts';

let edge: Edge;
let porchlight: Porchlight;
let ahead = 0;
/** The server as the world reaches it. */
const outside = () => ({ ...porchlight, base: edge.origin });

beforeAll(async () => {
  let target = '';
  edge = await openEdge(() => target);
  porchlight = await startPorchlight({ baseUrl: edge.origin, clock: () => Date.now() + ahead });
  target = `http://127.0.0.1:${(await porchlight.call('status.get', {})).port ?? 0}`;
  await porchlight.call('settings.update', { profile: { name: 'ليلى مارلو' } });
});
beforeEach(() => edge.behave({}));
afterAll(async () => {
  await porchlight.remove();
  await edge.close();
});

const textOf = async (url: string) => (await fetch(url)).text();

/** Starts a test, and reads from its address what it asks for. */
async function begun(): Promise<SignInRequest> {
  const url = new URL((await porchlight.call('setup.testSignIn', {})).url);
  expect(`${url.origin}${url.pathname}`).toBe(`${edge.origin}/auth`);
  const parameters = Object.fromEntries(url.searchParams);
  const { client_id: clientId = '', redirect_uri: redirectUri = '' } = parameters;
  return { clientId, redirectUri, verifier: '', parameters };
}

/** The status of the page on which a browser would ask the owner. */
const statusOf = async (request: SignInRequest) =>
  (await openBrowser(edge.origin).open(authorizationUrl(edge.origin, request))).status;

async function back(request: SignInRequest, decide: 'signIns.approve' | 'signIns.deny'): Promise<URL> {
  const waiting = await ask(outside(), request);
  const [asked] = await porchlight.call('signIns.list', {});
  // Only here, the public address is on loopback.
  const warnings = [expect.stringContaining('a program on the computer') as string];
  expect(asked).toMatchObject({ clientName: 'Porchlight test app', scopes: ['profile'], warnings });
  if (decide === 'signIns.approve') await porchlight.call(decide, { id: waiting.id, scopes: ['profile'] });
  else await porchlight.call(decide, { id: waiting.id });
  return answerOf(waiting);
}

describe('the test sign-in', () => {
  test('is a whole sign-in through the public address, and explains what happened', async () => {
    const request = await begun();
    const answer = await back(request, 'signIns.approve');
    const page = await textOf(answer.href);
    expect(page).toContain('Your sign-in works');
    expect(page).toContain('https://owner.example/');
    expect(page).toContain('<bdi>ليلى مارلو</bdi>');
    expect(page).toContain('The app got no access');
    expect(edge.seen.filter((line) => line === 'POST /auth')).toHaveLength(1);
    expect(await porchlight.call('apps.list', {})).toEqual([]);
    // The page may be loaded again; the code in its address is worth nothing any more.
    expect(await textOf(answer.href)).toBe(page);
    const again = await redeem(outside(), request, answer.searchParams, { at: '/auth' });
    expect(await again.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('says so if the owner declines, and shares nothing', async () => {
    const request = await begun();
    const page = await textOf((await back(request, 'signIns.deny')).href);
    expect(page).toContain('You declined the sign-in');
    expect(page).not.toContain('owner.example');
  });

  test('names the problem if the code cannot be redeemed through the public address', async () => {
    const request = await begun();
    const answer = await back(request, 'signIns.approve');
    const local = `http://127.0.0.1:${(await porchlight.call('status.get', {})).port ?? 0}`;
    edge.behave(showing(502, 'Bad gateway'));
    const page = await textOf(`${local}${answer.pathname}${answer.search}`);
    expect(page).toContain('The test sign-in failed');
    expect(page).toContain('status 502');
  });

  test('works once: its address starts no second test', async () => {
    const request = await begun();
    await textOf((await back(request, 'signIns.approve')).href);
    expect(await statusOf(request)).toBe(400);
  });

  test('an answer that belongs to another sign-in does not use it up', async () => {
    const request = await begun();
    const forged = await textOf(`${request.redirectUri}?code=made-up&state=wrong&iss=${edge.origin}/`);
    expect(forged).toContain('belongs to another sign-in');
    expect(await textOf((await back(request, 'signIns.approve')).href)).toContain('Your sign-in works');
  });

  test('a stranger who invents a test app finds no page, and reaches nobody', async () => {
    const made = `${edge.origin}/test-sign-in/made-up-by-a-stranger`;
    expect((await fetch(made)).status).toBe(404);
    expect((await fetch(`${made}/done?code=x&state=y`)).status).toBe(404);
    for (const id of [made, `${edge.origin}/%74est-sign-in/x`, `${edge.origin}//test-sign-in/x`]) {
      const request = signInRequest(edge.origin, {
        client_id: id,
        redirect_uri: `${id}/done`,
        scope: 'create',
      });
      expect(await statusOf(request), id).toBe(400);
    }
    expect(await porchlight.call('signIns.list', {})).toEqual([]);
  });

  test('a stranger who learns the address of a running test gets neither another sign-in nor a code', async () => {
    const request = await begun();
    const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
    for (const changed of [
      { scope: 'profile create' },
      { scope: '' },
      { code_challenge: challenge },
      { state: 'other' },
      { redirect_uri: `${request.clientId}/elsewhere` },
    ]) {
      const parameters = { ...request.parameters, ...changed };
      expect(await statusOf({ ...request, parameters }), JSON.stringify(changed)).toBe(400);
    }
    expect(await porchlight.call('signIns.list', {})).toEqual([]);
  });

  test('ends after ten minutes, and only the last five are kept', async () => {
    const { clientId } = await begun();
    ahead += 600_001;
    expect((await fetch(clientId)).status).toBe(404);
    const apps: string[] = [];
    for (let count = 0; count < 6; count += 1) apps.push((await begun()).clientId);
    const statuses = await Promise.all(apps.map(async (one) => (await fetch(one)).status));
    expect(statuses).toEqual([404, 200, 200, 200, 200, 200]);
  });
});

test('without a public address, or before the owner has said who they are, there is no test', async () => {
  const local = await startPorchlight({ allowPrivateFetch: false });
  await expect(local.call('setup.testSignIn', {})).rejects.toMatchObject({ code: 'no_public_address' });
  await local.call('settings.update', { profile: { me: null } });
  await expect(local.call('setup.testSignIn', {})).rejects.toMatchObject({ code: 'not_set_up' });
  await local.remove();
});
