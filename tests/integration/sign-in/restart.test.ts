import { afterAll, beforeAll, expect, test } from 'vitest';
import { counts, expectError, jsonOf } from '../../support/answers.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { authorizationUrl, post, redeem } from '../../support/sign-in.ts';

let scene: Scene;
let again: Porchlight | undefined;
beforeAll(async () => void (scene = await openScene()));
afterAll(async () => {
  await again?.stop();
  await scene.close();
});

test('a restart drops what waits, and keeps who is signed in', async () => {
  const { porchlight } = scene;
  const signedIn = await scene.tokens(scene.request());
  const signedOut = await scene.tokens(scene.request());
  await post(porchlight, '/revoke', { token: signedOut.refresh_token });
  const request = scene.request();
  const unredeemed = await scene.signIn(request);
  const waiting = await scene.ask(scene.request());
  const answered = await scene.ask(scene.request());
  await scene.approve(answered);
  const viewer = scene.visitor();
  const shown = await (await viewer.open(authorizationUrl(porchlight.base, scene.request()))).text();
  const { id: manual, token: byHand } = await porchlight.call('apps.issueToken', {
    label: 'iA',
    scopes: ['create'],
  });

  await porchlight.stop();
  again = await startPorchlight({ dataDir: porchlight.dataDir, port: Number(new URL(porchlight.base).port) });
  expect(again.base).toBe(porchlight.base);

  expect(await again.call('signIns.list', {})).toEqual([]);
  await expect(again.call('signIns.approve', { id: waiting.id, scopes: [] })).rejects.toMatchObject({
    code: 'not_found',
  });
  for (const { browser, address } of [waiting, answered]) {
    const response = await browser.open(address);
    expect([response.status, response.headers.get('location')]).toEqual([404, null]);
  }
  expect((await viewer.press(shown)).status).toBe(403);
  await expectError(await redeem(again, request, unredeemed), 400, 'invalid_grant');

  expect(await counts(again, signedIn.access_token)).toBe(true);
  expect(await counts(again, byHand)).toBe(true);
  expect(await counts(again, signedOut.access_token)).toBe(false);
  const client = { grant_type: 'refresh_token', client_id: `${scene.app.origin}/` };
  const refreshed = await post(again, '/token', { ...client, refresh_token: signedIn.refresh_token });
  expect(await jsonOf(refreshed)).toMatchObject({ me: signedIn.me, scope: signedIn.scope });
  await expectError(
    await post(again, '/token', { ...client, refresh_token: signedOut.refresh_token }),
    400,
    'invalid_grant',
  );
  expect((await again.call('apps.list', {})).map(({ id }) => id)).toContain(manual);
  expect(await again.call('apps.list', {})).toHaveLength(2);

  await expectError(
    await post(again, '/token', { ...client, refresh_token: signedIn.refresh_token }),
    400,
    'invalid_grant',
  );
  expect(await counts(again, signedIn.access_token)).toBe(false); // the reuse is noticed across the restart too
});
